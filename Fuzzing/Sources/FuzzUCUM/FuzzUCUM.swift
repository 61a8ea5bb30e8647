import FuzzDriver
import UCUM

/// A unit is read or refused; a unit that is read converts to its base units and back, or gives a reason why not.
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

@main enum FuzzUCUM {
    static func main() { fuzz(fuzzUCUM) }
}
