import Foundation

extension JSON {
    /// Layout of the text.
    public enum Layout: Sendable {
        /// One line without spaces.
        case compact
        /// Two spaces a level, one member a line.
        case pretty
    }

    /// The JSON text as UTF-8, with the members in their order and the digits of numbers as written.
    public func bytes(_ layout: Layout = .compact) -> [UInt8] { withWritten(layout) { Array($0) } }

    /// The JSON text.
    public func text(_ layout: Layout = .compact) -> String {
        withWritten(layout) { String(decoding: $0, as: UTF8.self) }
    }

    /// The JSON text as UTF-8.
    public func data(_ layout: Layout = .compact) -> Data { withWritten(layout) { Data($0) } }

    /// Appends the JSON text to bytes.
    public func write(to output: inout [UInt8]) { withWritten(.compact) { output.append(contentsOf: $0) } }

    private func withWritten<Result>(_ layout: Layout, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var writer = JSONWriter(layout)
        defer { writer.free() }
        writer.write(self, depth: 0)
        return body(writer.written)
    }
}
