import FuzzDriver
import HealthTypes

/// Up to two units and a number, separated by line feeds. Each is read or refused, a unit that is read can be read
/// again from its text, and a conversion gives a number or nothing.
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

@main enum FuzzHealthKitUnit {
    static func main() { fuzz(fuzzHealthKitUnit) }
}
