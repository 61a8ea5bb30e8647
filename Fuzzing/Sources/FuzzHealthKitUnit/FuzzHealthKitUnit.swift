import HealthTypes

/// Up to two units and a number, parted by line feeds: each is read or refused, what is read comes back from its text,
/// and a conversion gives a number or nothing.
func fuzzHealthKitUnit(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard let unit = try? HealthKitUnit(lines[0]) else { return 0 }
    precondition((try? HealthKitUnit(unit.text))?.text == unit.text, "written, and yet not read")
    _ = unit.ucum
    guard lines.count == 3, let other = try? HealthKitUnit(lines[1]) else { return 0 }
    guard let conversion = unit.conversion(to: other) else { return 0 }
    precondition(unit.isCompatible(with: other), "converted, and yet not compatible")
    precondition(conversion.inverse.inverse == conversion, "the way back and back again is another one")
    if let number = conversion.convert(lines[2]) { precondition(Double(number) != nil, "converted to no number") }
    _ = conversion.parts
    return 0
}

/// The entry that SwiftPM links as the program: it hands over to libFuzzer.
@_cdecl("FuzzHealthKitUnit_main")
public func fuzzHealthKitUnitMain(
    _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
    var count = count
    var arguments = arguments
    return runFuzzer(&count, &arguments, fuzzHealthKitUnit)
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
