/// Reads zlib streams (RFC 1950, RFC 1951).
///
/// libharu hands PNG files to libpng without a way back from its errors: a damaged file would end the process. So a
/// signature is read here, and only its pixels are handed over.
struct Inflate {
    private let bytes: [UInt8]
    private var offset = 0
    private var bits: UInt32 = 0
    private var bitCount = 0

    /// The content of a zlib stream; nil where the stream is damaged or holds more or less than so many bytes.
    static func content(of stream: [UInt8], count: Int) -> [UInt8]? {
        guard stream.count >= 6, stream[0] & 15 == 8, stream[1] & 32 == 0,
            (Int(stream[0]) << 8 | Int(stream[1])) % 31 == 0
        else { return nil }
        var inflate = Inflate(bytes: stream, offset: 2)
        guard let output = inflate.blocks(limit: count), output.count == count else { return nil }
        return inflate.trailer() == adler(output) ? output : nil
    }

    private init(bytes: [UInt8], offset: Int) {
        self.bytes = bytes
        self.offset = offset
    }

    // MARK: Blocks

    private mutating func blocks(limit: Int) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(limit)
        while true {
            guard let isLast = take(1), let kind = take(2) else { return nil }
            switch kind {
            case 0: guard stored(&output, limit) else { return nil }
            case 1: guard compressed(&output, limit, Inflate.fixed, Inflate.fixedDistances) else { return nil }
            case 2:
                guard let (symbols, distances) = codes(), compressed(&output, limit, symbols, distances) else {
                    return nil
                }
            default: return nil
            }
            if isLast == 1 { return output }
        }
    }

    private mutating func stored(_ output: inout [UInt8], _ limit: Int) -> Bool {
        bits = 0
        bitCount = 0
        guard offset + 4 <= bytes.count else { return false }
        let length = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
        let inverse = Int(bytes[offset + 2]) | Int(bytes[offset + 3]) << 8
        offset += 4
        guard length == ~inverse & 0xFFFF, offset + length <= bytes.count, output.count + length <= limit else {
            return false
        }
        output += bytes[offset..<(offset + length)]
        offset += length
        return true
    }

    private mutating func compressed(
        _ output: inout [UInt8], _ limit: Int, _ symbols: Code, _ distances: Code
    ) -> Bool {
        while true {
            guard let symbol = next(symbols) else { return false }
            if symbol < 256 {
                guard output.count < limit else { return false }
                output.append(UInt8(symbol))
                continue
            }
            if symbol == 256 { return true }
            let place = symbol - 257
            guard place < Inflate.lengths.count, let more = take(Inflate.lengths[place].extra),
                let far = next(distances), far < Inflate.distances.count,
                let further = take(Inflate.distances[far].extra)
            else { return false }
            let length = Inflate.lengths[place].base + more
            let distance = Inflate.distances[far].base + further
            guard distance <= output.count, output.count + length <= limit else { return false }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
    }

    /// The codes of a block that brings its own.
    private mutating func codes() -> (Code, Code)? {
        guard let literalCount = take(5).map({ $0 + 257 }), let distanceCount = take(5).map({ $0 + 1 }),
            let lengthCount = take(4).map({ $0 + 4 })
        else { return nil }
        var lengths = [Int](repeating: 0, count: 19)
        for index in 0..<lengthCount {
            guard let length = take(3) else { return nil }
            lengths[Inflate.order[index]] = length
        }
        guard let lengthCode = Code(lengths) else { return nil }
        var all: [Int] = []
        while all.count < literalCount + distanceCount {
            guard let symbol = next(lengthCode) else { return nil }
            let repeated: (value: Int, count: Int?)
            switch symbol {
            case 16:
                guard let last = all.last else { return nil }
                repeated = (last, take(2).map { $0 + 3 })
            case 17: repeated = (0, take(3).map { $0 + 3 })
            case 18: repeated = (0, take(7).map { $0 + 11 })
            default: repeated = (symbol, 1)
            }
            guard let count = repeated.count, all.count + count <= literalCount + distanceCount else { return nil }
            all += Array(repeating: repeated.value, count: count)
        }
        guard let symbols = Code(Array(all[..<literalCount])), let distances = Code(Array(all[literalCount...])) else {
            return nil
        }
        return (symbols, distances)
    }

    // MARK: Bits

    private mutating func take(_ count: Int) -> Int? {
        while bitCount < count {
            guard offset < bytes.count else { return nil }
            bits |= UInt32(bytes[offset]) << UInt32(bitCount)
            offset += 1
            bitCount += 8
        }
        let value = bits & (1 << UInt32(count) - 1)
        bits >>= UInt32(count)
        bitCount -= count
        return Int(value)
    }

    private mutating func next(_ code: Code) -> Int? {
        var value = 0
        var first = 0
        var index = 0
        for length in 1...15 {
            guard let bit = take(1) else { return nil }
            value |= bit
            let count = code.counts[length]
            if value - first < count { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        return nil
    }

    private func trailer() -> UInt32? {
        // Whole bytes that were read ahead go back.
        let start = offset - bitCount / 8
        guard start + 4 <= bytes.count else { return nil }
        return bytes[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var a: UInt32 = 1
        var b: UInt32 = 0
        for byte in bytes {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        return b << 16 | a
    }

    // MARK: Tables

    /// A canonical Huffman code: how many codes there are of each length, and their symbols in order.
    private struct Code: Sendable {
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int] = []

        /// Nil where there are more codes of a length than there can be.
        init?(_ lengths: [Int]) {
            for length in lengths where length > 0 { counts[length] += 1 }
            var left = 1
            for length in 1...15 {
                left = left << 1 - counts[length]
                if left < 0 { return nil }
            }
            symbols = lengths.indices.filter { lengths[$0] > 0 }.sorted {
                (lengths[$0], $0) < (lengths[$1], $1)
            }
        }

        init(fixed lengths: [Int]) { self = Code(lengths) ?? Code() }

        private init() {}
    }

    private static let fixed = Code(
        fixed: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = Code(fixed: Array(repeating: 5, count: 30))
    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    private static let lengths: [(base: Int, extra: Int)] = {
        var table: [(base: Int, extra: Int)] = (3...10).map { ($0, 0) }
        var base = 11
        for extra in 1...5 {
            for _ in 0..<4 {
                table.append((base, extra))
                base += 1 << extra
            }
        }
        table[27] = (227, 5)
        return table + [(258, 0)]
    }()
    private static let distances: [(base: Int, extra: Int)] = {
        var table: [(base: Int, extra: Int)] = (1...4).map { ($0, 0) }
        var base = 5
        for extra in 1...13 {
            for _ in 0..<2 {
                table.append((base, extra))
                base += 1 << extra
            }
        }
        return table
    }()
}
