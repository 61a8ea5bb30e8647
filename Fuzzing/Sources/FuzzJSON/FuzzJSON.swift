import FHIR

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

/// The entry point that SwiftPM links as the program; it calls libFuzzer.
@_cdecl("FuzzJSON_main")
public func fuzzJSONMain(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    var count = count
    var arguments = arguments
    return runFuzzer(&count, arguments: &arguments, body: fuzzJSON)
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<Int32>,
    arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
