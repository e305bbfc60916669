// The connection between a C++ candidate and its tests, which are two processes. Both are compiled with this header
// before their first line; it is compiled once for all of them.
//
// A value is a tag and its content: i<decimal>; for integers, d<16 hexadecimal digits> for floating point numbers,
// s<length>;<bytes> for strings, l<count>; for lists and maps.
//
// Only headers that OctoPack includes before every program are included here: others would add names that a candidate
// may want to define.
#include<stdlib.h>
#include<algorithm>
#include<cmath>
#include<math.h>
#include<numeric>
#include<stdio.h>
#include<vector>
#include<set>
#include<map>
#include<queue>
#include<stack>
#include<list>
#include<deque>
#include<string>
#include<climits>
#include<cstring>
#include<iostream>
#include<sstream>
#include<fstream>

// System functions, under names that a candidate does not use.
extern "C" long assay_read(int, void*, unsigned long) __asm__("read");
extern "C" long assay_write(int, const void*, unsigned long) __asm__("write");
extern "C" void (*assay_signal(int, void (*)(int)))(int) __asm__("signal");
extern "C" char* assay_demangle(const char*, char*, std::size_t*, int*) __asm__("__cxa_demangle");

namespace assay {

enum { FROM = 3, TO = 4, ABORT = 6 };

inline bool serving = false;
inline std::string outgoing;

inline void say(const std::string& text) {
    std::string marked = "\n\1assay\1" + text + "\1\n";
    assay_write(2, marked.data(), marked.size());
}

// The other side is gone.
[[noreturn]] inline void over() {
    if (serving) std::_Exit(0);
    say("gone");
    std::_Exit(3);
}

[[noreturn]] inline void wrong(const std::string& text) {
    say((serving ? "raised\1protocol\1\1" : "wrong\1") + text);
    std::_Exit(1);
}

// The maximum number of bytes of an answer.
enum { LONGEST = 64 << 20 };
inline std::size_t came = 0;

// Counts the bytes since the last question, and ends the tests of a candidate that answers with more than they accept.
inline void bound() {
    if (++came <= LONGEST || serving) return;
    say("much");
    std::_Exit(1);
}

inline char next() {
    bound();
    static char buffer[1 << 16];
    static long filled = 0, at = 0;
    if (at == filled) {
        filled = assay_read(FROM, buffer, sizeof buffer);
        at = 0;
        if (filled <= 0) over();
    }
    return buffer[at++];
}

inline void flush() {
    for (std::size_t done = 0; done < outgoing.size();) {
        long written = assay_write(TO, outgoing.data() + done, outgoing.size() - done);
        if (written <= 0) over();
        done += written;
    }
    outgoing.clear();
    came = 0;
}

inline void expect(char letter) {
    if (next() != letter) wrong("it answers with a value of another type");
}

inline std::string digits(char letter) {
    expect(letter);
    std::string text;
    for (char read = next(); read != ';'; read = next()) {
        if (text.size() > 30) wrong("it answers with a number that is none");
        text += read;
    }
    return text;
}

inline std::size_t count(char letter) { return std::strtoull(digits(letter).c_str(), nullptr, 10); }

inline void put_count(char letter, std::size_t count) {
    outgoing += letter;
    outgoing += std::to_string(count);
    outgoing += ';';
}

template <class T, class = void>
struct Wire;

template <class T>
struct Wire<T, std::enable_if_t<std::is_integral_v<T>>> {
    static void put(T value) {
        outgoing += 'i';
        outgoing += std::is_signed_v<T> ? std::to_string((long long)value)
                                        : std::to_string((unsigned long long)value);
        outgoing += ';';
    }
    static T get() {
        std::string text = digits('i');
        if (std::is_signed_v<T>) return (T)std::strtoll(text.c_str(), nullptr, 10);
        return (T)std::strtoull(text.c_str(), nullptr, 10);
    }
};

template <class T>
struct Wire<T, std::enable_if_t<std::is_floating_point_v<T>>> {
    static void put(T value) {
        double wide = value;
        unsigned long long bits;
        std::memcpy(&bits, &wide, sizeof bits);
        char text[18];
        std::snprintf(text, sizeof text, "d%016llx", bits);
        outgoing += text;
    }
    static T get() {
        expect('d');
        char text[17] = {};
        for (int at = 0; at < 16; at++) text[at] = next();
        unsigned long long bits = std::strtoull(text, nullptr, 16);
        double wide;
        std::memcpy(&wide, &bits, sizeof wide);
        return (T)wide;
    }
};

template <>
struct Wire<std::string> {
    static void put(const std::string& value) {
        put_count('s', value.size());
        outgoing += value;
    }
    static std::string get() {
        std::string value;
        for (std::size_t left = count('s'); left > 0; left--) value += next();
        return value;
    }
};

template <class A, class B>
struct Wire<std::pair<A, B>> {
    static void put(const std::pair<A, B>& value) {
        Wire<std::remove_const_t<A>>::put(value.first);
        Wire<B>::put(value.second);
    }
    static std::pair<A, B> get() {
        std::remove_const_t<A> first = Wire<std::remove_const_t<A>>::get();
        return {first, Wire<B>::get()};
    }
};

template <class C, class Item>
struct Container {
    static void put(const C& value) {
        put_count('l', value.size());
        for (const auto& item : value) Wire<Item>::put(item);
    }
    static C get() {
        C value;
        for (std::size_t left = count('l'); left > 0; left--)
            value.insert(value.end(), Wire<Item>::get());
        return value;
    }
};

template <class T> struct Wire<std::vector<T>> : Container<std::vector<T>, T> {};
template <class T> struct Wire<std::list<T>> : Container<std::list<T>, T> {};
template <class T> struct Wire<std::deque<T>> : Container<std::deque<T>, T> {};
template <class T> struct Wire<std::set<T>> : Container<std::set<T>, T> {};
template <class K, class V> struct Wire<std::map<K, V>> : Container<std::map<K, V>, std::pair<K, V>> {};

template <class T> void put(const T& value) { Wire<T>::put(value); }
template <class T> std::decay_t<T> get() { return Wire<std::decay_t<T>>::get(); }

// Writes the beginning of a value as text for people.
enum { SHOWN = 400 };

template <class T, class = void>
struct Lists : std::false_type {};
template <class T>
struct Lists<T, std::void_t<decltype(std::declval<const T&>().begin())>> : std::true_type {};

template <class T>
void show(std::string& text, const T& value);

template <class A, class B>
void show(std::string& text, const std::pair<A, B>& value) {
    text += '{';
    show(text, value.first);
    text += ", ";
    show(text, value.second);
    text += '}';
}

template <class T>
void show(std::string& text, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        text += value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, char>) {
        text += std::string("'") + value + "'";
    } else if constexpr (std::is_arithmetic_v<T>) {
        std::ostringstream out;
        out.precision(17);
        out << value;
        text += out.str();
    } else if constexpr (std::is_same_v<T, std::string>) {
        text += '"' + value.substr(0, SHOWN) + '"';
    } else if constexpr (Lists<T>::value) {
        text += '{';
        bool first = true;
        for (const auto& item : value) {
            if (text.size() > SHOWN) {
                text += ", ...";
                break;
            }
            if (!first) text += ", ";
            first = false;
            show(text, static_cast<const typename T::value_type&>(item));
        }
        text += '}';
    } else {
        text += '?';
    }
}

inline bool asked = false;
// The last answer, as text for people.
inline std::string came_back;

// Reports the last answer when an assertion fails.
inline void failed(int) {
    say("last\1" + came_back);
    std::_Exit(1);
}

// The tests' side: waits until the candidate is ready. Tests that succeed without a call have tested nothing.
inline bool greet() {
    expect('h');
    assay_signal(ABORT, failed);
    std::atexit([] {
        if (!asked) wrong("the tests never call the program");
    });
    return true;
}

// Calls the candidate.
template <class Answer, class... Arguments>
std::decay_t<Answer> ask(const Arguments&... arguments) {
    asked = true;
    outgoing += 'c';
    (put(arguments), ...);
    flush();
    std::decay_t<Answer> answer = get<Answer>();
    came_back.clear();
    show(came_back, answer);
    return answer;
}

inline void crashed(int signal) {
    say("crashed\1" + std::to_string(signal));
    std::_Exit(128 + signal);
}

// Reports the exception that was not caught.
[[noreturn]] inline void terminated() {
    std::exception_ptr current = std::current_exception();
    if (!current) crashed(ABORT);
    try {
        std::rethrow_exception(current);
    } catch (const std::bad_alloc&) {
        say("memory");
    } catch (const std::exception& error) {
        char* name = assay_demangle(typeid(error).name(), nullptr, nullptr, nullptr);
        say("raised\1" + std::string(name ? name : "exception") + "\1\1" + error.what());
    } catch (...) {
        say("raised\1exception\1\1it is no std::exception");
    }
    std::_Exit(1);
}

// The candidate's side: reports that it is ready, and then answers calls until the tests are gone.
template <class Call>
[[noreturn]] void serve(Call call) {
    serving = true;
    std::set_terminate(terminated);
    assay_signal(ABORT, crashed);
    outgoing += 'h';
    flush();
    for (;;) {
        expect('c');
        try {
            call();
        } catch (...) {
            terminated();
        }
        flush();
    }
}

}

using namespace std;
