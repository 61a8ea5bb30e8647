import FuzzDriver
import JSONQuery

private let document: JSON =
    JSON(
        reading: """
            {"a":{"b":[1,2.50,"3",null,true,{"a":[[],[1]]}],"c":"text"},"b":[{"a":1},{"a":"1"},{"b":{"a":-1e3}}],"c":null,
            "p":"/^(a|b)*c/i","x y":{"é":"","n":123456789012345678901234567890}}
            """.utf8) ?? .null

private let limits: QueryLimits = {
    var limits = QueryLimits()
    limits.steps = 50_000
    limits.values = 10_000
    return limits
}()

/// A text is read as an expression of either language or refused; its evaluation ends within its limits, and the result
/// can be written.
func fuzzQuery(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    _ = (try? JMESPath(text, limits: limits).evaluate(on: document))?.text()
    for found in (try? JSONPath(text, limits: limits).evaluate(on: document)) ?? [] { _ = found.text() }
    return 0
}

@main enum FuzzQuery {
    static func main() { fuzz(fuzzQuery) }
}
