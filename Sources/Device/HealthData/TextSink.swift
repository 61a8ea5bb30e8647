/// Collects text on the stack and appends it to an array in large pieces, which is faster than appending each short
/// text to the array.
struct TextSink {
    private let scratch: UnsafeMutableRawBufferPointer
    private var count = 0
    private var output: [UInt8]

    /// Takes the array's content; ``finish()`` returns it.
    init(_ scratch: UnsafeMutableRawBufferPointer, _ output: inout [UInt8]) {
        self.scratch = scratch
        self.output = []
        swap(&self.output, &output)
    }

    mutating func finish() -> [UInt8] {
        flush()
        var whole: [UInt8] = []
        swap(&whole, &output)
        return whole
    }

    mutating func put(_ text: StaticString) { put(UnsafeRawPointer(text.utf8Start), text.utf8CodeUnitCount) }

    mutating func put(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { if let start = $0.baseAddress { put(start, $0.count) } }
    }

    /// Appends text that needs no escapes.
    mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { if let start = $0.baseAddress { put(UnsafeRawPointer(start), $0.count) } }
    }

    /// Appends `length` bytes that the body writes.
    mutating func put(_ length: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Void) {
        if count + length > scratch.count { flush() }
        guard let start = scratch.baseAddress, length <= scratch.count else { return }
        body((start + count).assumingMemoryBound(to: UInt8.self))
        count += length
    }

    private mutating func put(_ start: UnsafeRawPointer, _ length: Int) {
        if count + length > scratch.count { flush() }
        if length <= scratch.count, let to = scratch.baseAddress {
            (to + count).copyMemory(from: start, byteCount: length)
            count += length
        } else {
            output.append(contentsOf: UnsafeRawBufferPointer(start: start, count: length))
        }
    }

    private mutating func flush() {
        output.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
        count = 0
    }
}
