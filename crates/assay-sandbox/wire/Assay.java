import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The connection between a Java candidate and its tests, which are two processes. */
public final class Assay {
    private static Counted counted;
    private static DataInputStream in;
    private static DataOutputStream out;

    /** The other side is gone. */
    private static final class Gone extends Error {
        Gone(Throwable cause) {
            super(cause);
        }
    }

    public static void main(String[] arguments) throws Exception {
        counted = new Counted(pipe(3));
        in = new DataInputStream(new BufferedInputStream(counted));
        out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(pipe(4))));
        if (arguments[0].equals("serve")) {
            serve();
        } else {
            test();
        }
    }

    /**
     * The path of a pipe that the sandbox gave to this process. Without the sandbox the number may be that of
     * any file, such as one of the virtual machine's own, and opening it for writing would truncate it.
     */
    private static String pipe(int number) throws IOException {
        String path = "/proc/self/fd/" + number;
        if (!Files.readSymbolicLink(Path.of(path)).toString().startsWith("pipe:")) {
            throw new IOException("file " + number + " is no pipe: this class runs in the sandbox only");
        }
        return path;
    }

    private static void say(String text) {
        byte[] bytes = ("\n\1assay\1" + text + "\1\n").getBytes(StandardCharsets.UTF_8);
        // The candidate may have replaced System.err, so it is not used.
        try {
            new FileOutputStream(FileDescriptor.err).write(bytes);
        } catch (IOException nobodyListens) {
        }
    }

    // ---- The tests' side.

    private static void test() {
        int code = 0;
        try {
            hear();
            Class<?> main = Class.forName("Main");
            Method method = main.getDeclaredMethod("main", String[].class);
            method.setAccessible(true);
            method.invoke(null, (Object) new String[0]);
        } catch (Throwable wrapped) {
            Throwable error = wrapped instanceof InvocationTargetException ? wrapped.getCause() : wrapped;
            code = error instanceof Gone ? 3 : 1;
            say(error instanceof Gone ? "gone" : error instanceof TooLong ? "much"
                    : "wrong\1" + describe(error) + "\1" + written(came));
        }
        Runtime.getRuntime().halt(code);
    }

    private static String describe(Throwable error) {
        String text = error instanceof AssertionError ? "" : error.toString();
        if (error instanceof AssertionError && failed != null) {
            text = "not true: " + failed;
        }
        int line = line(error, "Main.java");
        return (text.isEmpty() ? "an assertion failed" : text) + (line > 0 ? " (line " + line + " of the tests)" : "");
    }

    /** The last answer. */
    private static Object came;

    /** A value as text for people. */
    private static String written(Object value) {
        String text = value instanceof String ? "\"" + value + "\"" : java.util.Arrays.deepToString(new Object[] {value});
        text = value instanceof String ? text : text.substring(1, text.length() - 1);
        return (text.length() > 400 ? text.substring(0, 400) + "…" : text).replace('\1', ' ');
    }

    /** The first check that failed. */
    private static String failed;

    /** The result of Arrays.asList; also stores the first value that is false. */
    public static List<Boolean> checks(String[] texts, Boolean... values) {
        for (int at = 0; at < values.length && failed == null; at++) {
            if (!values[at] && at < texts.length) {
                failed = texts[at];
            }
        }
        return new ArrayList<>(java.util.Arrays.asList(values));
    }

    private static void hear() {
        try {
            in.readByte();
        } catch (IOException error) {
            throw new Gone(error);
        }
    }

    /** The candidate's answer is longer than the tests accept. */
    private static final class TooLong extends Error {
    }

    /** The maximum number of bytes of an answer. */
    private static final long LONGEST = 64 << 20;

    /** Counts the bytes received. */
    private static final class Counted extends FileInputStream {
        /** The number of bytes that may still come. */
        long left = Long.MAX_VALUE;

        Counted(String path) throws IOException {
            super(path);
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int count = super.read(bytes, from, length);
            left -= Math.max(0, count);
            if (left < 0) {
                throw new TooLong();
            }
            return count;
        }
    }

    /** Makes the candidate call one of its methods, the one with parameters of these types. */
    public static Object call(String name, Class<?>[] types, Object... arguments) {
        try {
            put(name);
            put(Stream.of(types).map(Class::getName).toArray(String[]::new));
            put(arguments);
            out.flush();
            counted.left = LONGEST;
            came = get();
            return came;
        } catch (IOException error) {
            throw new Gone(error);
        }
    }

    // ---- The candidate's side.

    private static void serve() {
        try {
            Class<?> solution = Class.forName("Solution");
            Constructor<?> constructor = solution.getDeclaredConstructor();
            constructor.setAccessible(true);
            Object object = constructor.newInstance();
            out.writeByte('h');
            out.flush();
            while (true) {
                String name;
                try {
                    name = (String) get();
                } catch (IOException nobodyAsks) {
                    Runtime.getRuntime().halt(0);
                    return;
                }
                String[] types = (String[]) get();
                Object[] arguments = (Object[]) get();
                put(find(solution, name, types).invoke(object, arguments));
                out.flush();
            }
        } catch (Throwable wrapped) {
            Throwable error = wrapped;
            while (error.getCause() != null
                    && (error instanceof InvocationTargetException || error instanceof ExceptionInInitializerError)) {
                error = error.getCause();
            }
            raise(error);
        }
    }

    /** The method of this name, its own or an inherited one. Of several, the one with exactly these types is used. */
    private static Method find(Class<?> solution, String name, String[] types) throws NoSuchMethodException {
        List<Method> found = new ArrayList<>();
        for (Class<?> at = solution; at != null; at = at.getSuperclass()) {
            found.addAll(List.of(at.getDeclaredMethods()));
        }
        found.addAll(List.of(solution.getMethods()));
        found.removeIf(method -> !method.getName().equals(name) || method.getParameterCount() != types.length
                || method.isBridge() || Modifier.isAbstract(method.getModifiers()));
        Stream<Method> exact = found.stream().filter(method -> List.of(types).equals(
                Stream.of(method.getParameterTypes()).map(Class::getName).toList()));
        Method method = exact.findFirst().orElse(found.isEmpty() ? null : found.get(0));
        if (method == null) {
            throw new NoSuchMethodException(
                    "Solution has no method " + name + " with " + types.length + " parameters");
        }
        method.setAccessible(true);
        return method;
    }

    private static void raise(Throwable error) {
        if (error instanceof OutOfMemoryError) {
            say("memory");
        } else {
            int line = line(error, "Solution.java");
            say("raised\1" + error.getClass().getName() + "\1" + (line > 0 ? line : "") + "\1" + error.getMessage());
        }
        Runtime.getRuntime().halt(1);
    }

    private static int line(Throwable error, String file) {
        for (StackTraceElement element : error.getStackTrace()) {
            if (file.equals(element.getFileName())) {
                return element.getLineNumber();
            }
        }
        return 0;
    }

    // ---- Values. A value that is not plain data arrives as an object that is equal to nothing else.

    private static void put(Object value) throws IOException {
        if (value == null) {
            out.writeByte('n');
        } else if (value instanceof Boolean) {
            out.writeByte('b');
            out.writeBoolean((Boolean) value);
        } else if (value instanceof Integer) {
            out.writeByte('i');
            out.writeInt((Integer) value);
        } else if (value instanceof Long) {
            out.writeByte('j');
            out.writeLong((Long) value);
        } else if (value instanceof Double) {
            out.writeByte('d');
            out.writeDouble((Double) value);
        } else if (value instanceof Float) {
            out.writeByte('f');
            out.writeFloat((Float) value);
        } else if (value instanceof Character) {
            out.writeByte('c');
            out.writeChar((Character) value);
        } else if (value instanceof Short) {
            out.writeByte('h');
            out.writeShort((Short) value);
        } else if (value instanceof Byte) {
            out.writeByte('y');
            out.writeByte((Byte) value);
        } else if (value instanceof String) {
            out.writeByte('s');
            putText((String) value);
        } else if (value.getClass() == BigInteger.class || value.getClass() == BigDecimal.class) {
            out.writeByte(value instanceof BigInteger ? 'B' : 'D');
            putText(value.toString());
        } else {
            putParts(value);
        }
    }

    private static void putText(String text) throws IOException {
        out.writeInt(text.length());
        out.writeChars(text);
    }

    private static void putParts(Object value) throws IOException {
        if (value instanceof Optional) {
            out.writeByte('o');
            put(((Optional<?>) value).orElse(null));
        } else if (value instanceof Map) {
            Map<?, ?> map = (Map<?, ?>) value;
            out.writeByte('m');
            out.writeInt(map.size());
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                put(entry.getKey());
                put(entry.getValue());
            }
        } else if (value instanceof List || value instanceof Set) {
            Object[] items = ((java.util.Collection<?>) value).toArray();
            out.writeByte(value instanceof List ? 'l' : 'e');
            out.writeInt(items.length);
            for (Object item : items) {
                put(item);
            }
        } else if (value.getClass().isArray()) {
            out.writeByte('a');
            Class<?> type = value.getClass().getComponentType();
            out.writeByte(Math.max(0, TYPES.indexOf(type)));
            int length = Array.getLength(value);
            out.writeInt(length);
            for (int at = 0; at < length; at++) {
                put(Array.get(value, at));
            }
        } else {
            out.writeByte('q');
        }
    }

    /** The element types of arrays; any other type is sent as Object. */
    private static final List<Class<?>> TYPES =
            List.of(Object.class, int.class, long.class, double.class, float.class, boolean.class, char.class,
                    short.class, byte.class, String.class, Integer.class, Double.class, int[].class, String[].class);

    private static Object get() throws IOException {
        switch (in.readByte()) {
            case 'n': return null;
            case 'b': return in.readBoolean();
            case 'i': return in.readInt();
            case 'j': return in.readLong();
            case 'd': return in.readDouble();
            case 'f': return in.readFloat();
            case 'c': return in.readChar();
            case 'h': return in.readShort();
            case 'y': return in.readByte();
            // Some tests compare strings by identity, which works for literals only.
            case 's': return getText().intern();
            case 'B': return new BigInteger(getText());
            case 'D': return new BigDecimal(getText());
            case 'o': return Optional.ofNullable(get());
            case 'm': return getMap();
            case 'l': return getItems(new ArrayList<>());
            case 'e': return getItems(new LinkedHashSet<>());
            case 'a': return getArray();
            default: return new Object();
        }
    }

    private static String getText() throws IOException {
        int length = in.readInt();
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < length; at++) {
            text.append(in.readChar());
        }
        return text.toString();
    }

    private static Object getItems(java.util.Collection<Object> items) throws IOException {
        for (int left = in.readInt(); left > 0; left--) {
            items.add(get());
        }
        return items;
    }

    private static Object getMap() throws IOException {
        Map<Object, Object> map = new HashMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            Object key = get();
            map.put(key, get());
        }
        return map;
    }

    private static Object getArray() throws IOException {
        Class<?> type = TYPES.get(Math.floorMod(in.readByte(), TYPES.size()));
        List<Object> items = new ArrayList<>();
        getItems(items);
        Object array = Array.newInstance(type, items.size());
        for (int at = 0; at < items.size(); at++) {
            Array.set(array, at, items.get(at));
        }
        return array;
    }
}
