import FHIR
import FuzzDriver

/// A value that is read is equal after writing and reading it again; an error has an offset inside of the text.
func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    for lenient in [false, true] {
        do {
            let value = try JSON(bytes, lenient: lenient)
            let written = value.bytes()
            precondition((try? JSON(written)) == value, "written and read again it is another value")
            precondition((try? JSON(value.bytes(.pretty))) == value, "written over lines it is another value")
        } catch {
            precondition(error.offset <= count && error.line >= 1 && error.column >= 1, "the place is outside")
        }
    }
    return 0
}

@main enum FuzzJSON {
    static func main() { fuzz(fuzzJSON) }
}
