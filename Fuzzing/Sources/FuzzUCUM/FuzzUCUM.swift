import UCUM

/// A unit is read or refused; what is read converts to its base units and back, or says why not.
func fuzzUCUM(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    guard let unit = try? UCUMUnit(text) else { return 0 }
    precondition(UCUMUnit.isValid(text), "read, and yet not valid")
    precondition(unit.isComparable(to: unit), "a unit is comparable with itself")
    _ = unit.displayName
    guard let (value, base) = try? unit.canonical(3) else { return 0 }
    precondition(base.dimension == unit.dimension, "the base units have another dimension")
    _ = try? base.convert(value, to: unit)
    return 0
}

/// The entry that SwiftPM links as the program: it hands over to libFuzzer.
@_cdecl("FuzzUCUM_main")
public func fuzzUCUMMain(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    var count = count
    var arguments = arguments
    return runFuzzer(&count, &arguments, fuzzUCUM)
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
