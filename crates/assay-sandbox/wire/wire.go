// The connection between a Go candidate and its tests, which are two processes. Both are compiled with this file.
//
// A value is a tag and its content: i<decimal>; for integers, d<16 hexadecimal digits> for floating point numbers,
// s<length>;<bytes> for strings, l<count>; for lists and maps, n for nil.

package main

import (
	assayBufio "bufio"
	assayFmt "fmt"
	assayMath "math"
	assayOs "os"
	assayReflect "reflect"
	assayRuntime "runtime"
	assayStrconv "strconv"
	assayStrings "strings"
)

var assayServing = false
var assayFrom = assayBufio.NewReader(assayOs.NewFile(3, "from"))
var assayTo = assayBufio.NewWriter(assayOs.NewFile(4, "to"))

func assaySay(text string) {
	assayOs.NewFile(2, "errors").WriteString("\n\x01assay\x01" + text + "\x01\n")
}

// The other side is gone.
func assayOver() {
	if assayServing {
		assayOs.Exit(0)
	}
	assaySay("gone")
	assayOs.Exit(3)
}

func assayWrong(text string) {
	assaySay("wrong\x01" + text)
	assayOs.Exit(1)
}

// The maximum number of bytes of an answer, and the number received since the last question.
const assayLongest = 64 << 20

var assayCame = 0

func assayNext() byte {
	assayCame++
	if assayCame > assayLongest && !assayServing {
		assaySay("much")
		assayOs.Exit(1)
	}
	read, err := assayFrom.ReadByte()
	if err != nil {
		assayOver()
	}
	return read
}

func assayExpect(letter byte) {
	if assayNext() != letter {
		assayWrong("it answers with a value of another type")
	}
}

func assayDigits(letter byte) string {
	assayExpect(letter)
	text := []byte{}
	for read := assayNext(); read != ';'; read = assayNext() {
		if len(text) > 30 {
			assayWrong("it answers with a number that is none")
		}
		text = append(text, read)
	}
	return string(text)
}

func assayCount(letter byte) int {
	count, _ := assayStrconv.Atoi(assayDigits(letter))
	return count
}

// The types that a value of any type can have. A candidate's own types are not among them: their values arrive as one
// that is equal to nothing.
var assayTypes = func() map[string]assayReflect.Type {
	known := []interface{}{
		false, int(0), int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0), uint64(0),
		float32(0), float64(0), "", []int{}, []string{}, []float64{}, []bool{}, []rune{}, []byte{}, []interface{}{},
		[][]int{}, [2]int{}, [3]int{}, [2]string{}, map[string]int{}, map[string]string{}, map[interface{}]interface{}{},
		map[string]interface{}{},
	}
	types := map[string]assayReflect.Type{}
	for _, value := range known {
		kind := assayReflect.TypeOf(value)
		types[kind.String()] = kind
	}
	return types
}()

type assayStranger struct{ _ func() }

func assayPut(value assayReflect.Value) {
	switch kind := value.Kind(); kind {
	case assayReflect.Bool:
		number := 0
		if value.Bool() {
			number = 1
		}
		assayFmt.Fprintf(assayTo, "i%d;", number)
	case assayReflect.Int, assayReflect.Int8, assayReflect.Int16, assayReflect.Int32, assayReflect.Int64:
		assayFmt.Fprintf(assayTo, "i%d;", value.Int())
	case assayReflect.Uint, assayReflect.Uint8, assayReflect.Uint16, assayReflect.Uint32, assayReflect.Uint64:
		assayFmt.Fprintf(assayTo, "i%d;", value.Uint())
	case assayReflect.Float32, assayReflect.Float64:
		assayFmt.Fprintf(assayTo, "d%016x", assayMath.Float64bits(value.Float()))
	case assayReflect.String:
		assayFmt.Fprintf(assayTo, "s%d;%s", value.Len(), value.String())
	case assayReflect.Slice, assayReflect.Array:
		if kind == assayReflect.Slice && value.IsNil() {
			assayTo.WriteByte('n')
			return
		}
		assayFmt.Fprintf(assayTo, "l%d;", value.Len())
		for at := 0; at < value.Len(); at++ {
			assayPut(value.Index(at))
		}
	case assayReflect.Map:
		if value.IsNil() {
			assayTo.WriteByte('n')
			return
		}
		assayFmt.Fprintf(assayTo, "l%d;", value.Len())
		for _, key := range value.MapKeys() {
			assayPut(key)
			assayPut(value.MapIndex(key))
		}
	case assayReflect.Interface:
		if value.IsNil() {
			assayTo.WriteByte('n')
			return
		}
		name := value.Elem().Type().String()
		if kind, known := assayTypes[name]; !known || kind != value.Elem().Type() {
			assayTo.WriteByte('q')
			return
		}
		assayFmt.Fprintf(assayTo, "x%d;%s", len(name), name)
		assayPut(value.Elem())
	default:
		assayTo.WriteByte('q')
	}
}

func assayGet(kind assayReflect.Type) assayReflect.Value {
	value := assayReflect.New(kind).Elem()
	switch kind.Kind() {
	case assayReflect.Bool:
		value.SetBool(assayDigits('i') != "0")
	case assayReflect.Int, assayReflect.Int8, assayReflect.Int16, assayReflect.Int32, assayReflect.Int64:
		number, err := assayStrconv.ParseInt(assayDigits('i'), 10, 64)
		if err != nil || value.OverflowInt(number) {
			assayWrong("it answers with a number that does not fit")
		}
		value.SetInt(number)
	case assayReflect.Uint, assayReflect.Uint8, assayReflect.Uint16, assayReflect.Uint32, assayReflect.Uint64:
		number, err := assayStrconv.ParseUint(assayDigits('i'), 10, 64)
		if err != nil || value.OverflowUint(number) {
			assayWrong("it answers with a number that does not fit")
		}
		value.SetUint(number)
	case assayReflect.Float32, assayReflect.Float64:
		assayExpect('d')
		text := make([]byte, 16)
		for at := range text {
			text[at] = assayNext()
		}
		bits, _ := assayStrconv.ParseUint(string(text), 16, 64)
		value.SetFloat(assayMath.Float64frombits(bits))
	case assayReflect.String:
		value.SetString(assayText('s'))
	case assayReflect.Slice:
		if assayIsNil() {
			return value
		}
		value.Set(assayReflect.MakeSlice(kind, 0, 0))
		for left := assayCount('l'); left > 0; left-- {
			value.Set(assayReflect.Append(value, assayGet(kind.Elem())))
		}
	case assayReflect.Array:
		if assayCount('l') != kind.Len() {
			assayWrong("it answers with a list of another length")
		}
		for at := 0; at < kind.Len(); at++ {
			value.Index(at).Set(assayGet(kind.Elem()))
		}
	case assayReflect.Map:
		if assayIsNil() {
			return value
		}
		value.Set(assayReflect.MakeMap(kind))
		for left := assayCount('l'); left > 0; left-- {
			key := assayGet(kind.Key())
			value.SetMapIndex(key, assayGet(kind.Elem()))
		}
	case assayReflect.Interface:
		if assayIsNil() {
			return value
		}
		if next, _ := assayFrom.Peek(1); len(next) == 1 && next[0] == 'q' {
			assayNext()
			value.Set(assayReflect.ValueOf(&assayStranger{}))
			return value
		}
		known, found := assayTypes[assayText('x')]
		if !found {
			assayWrong("it answers with a value of an unknown type")
		}
		value.Set(assayGet(known))
	default:
		assayWrong("it answers with a value of type " + kind.String())
	}
	return value
}

func assayIsNil() bool {
	next, err := assayFrom.Peek(1)
	if err != nil {
		assayOver()
	}
	if next[0] != 'n' {
		return false
	}
	assayNext()
	return true
}

func assayText(letter byte) string {
	text := []byte{}
	for left := assayCount(letter); left > 0; left-- {
		text = append(text, assayNext())
	}
	return string(text)
}

// Waits until the candidate is ready.
func assayGreet() {
	assayExpect('h')
}

// Calls the candidate. The answer is stored where the first argument points to.
func assayAsk(answer interface{}, arguments ...interface{}) {
	assayTo.WriteByte('c')
	for _, argument := range arguments {
		assayPut(assayReflect.ValueOf(argument).Elem())
	}
	if assayTo.Flush() != nil {
		assayOver()
	}
	assayCame = 0
	result := assayReflect.ValueOf(answer).Elem()
	result.Set(assayGet(result.Type()))
}

// Reports that the candidate is ready, and then answers calls until the tests are gone.
func assayServe(function interface{}) {
	assayServing = true
	assayTo.WriteByte('h')
	assayTo.Flush()
	called := assayReflect.ValueOf(function)
	defer func() {
		if problem := recover(); problem != nil {
			assayRaise(problem)
		}
	}()
	for {
		assayExpect('c')
		arguments := []assayReflect.Value{}
		for at := 0; at < called.Type().NumIn(); at++ {
			arguments = append(arguments, assayGet(called.Type().In(at)))
		}
		for _, result := range called.Call(arguments) {
			assayPut(result)
		}
		if assayTo.Flush() != nil {
			assayOver()
		}
	}
}

func assayRaise(problem interface{}) {
	callers := make([]uintptr, 64)
	frames := assayRuntime.CallersFrames(callers[:assayRuntime.Callers(1, callers)])
	line := ""
	for more := true; more && line == ""; {
		var frame assayRuntime.Frame
		frame, more = frames.Next()
		if assayStrings.HasSuffix(frame.File, "program.go") {
			line = assayStrconv.Itoa(frame.Line)
		}
	}
	class := "panic"
	if _, is := problem.(assayRuntime.Error); is {
		class = "runtime error"
	}
	text := assayStrings.TrimPrefix(assayFmt.Sprint(problem), "runtime error: ")
	assaySay("raised\x01" + class + "\x01" + line + "\x01" + text)
	assayOs.Exit(2)
}
