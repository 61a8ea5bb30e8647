import Foundation

/// Runs libFuzzer with the arguments of the process on a function of the bytes of an input, and ends the process.
///
/// A fuzzer is a program with only this:
///
/// ```swift
/// @main enum FuzzJSON {
///     static func main() { fuzz(fuzzJSON) }
/// }
/// ```
/// - Parameter body: receives the start of an input, and the number of its bytes. It returns 0; any other end of it is a
///   finding.
public func fuzz(_ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32) -> Never {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(runFuzzer(&count, arguments: &arguments, body: body))
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<Int32>,
    arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
