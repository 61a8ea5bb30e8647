import CZlib
import Foundation

/// The pixels of a PNG file on white paper (<https://www.w3.org/TR/png-3/>).
///
/// All colour types and depths are supported, without interlacing. For any fault in the file there is no image. libharu
/// passes PNG files to libpng without handling its errors: a damaged file would terminate the process. The signature is
/// therefore decoded here, and only its pixels are passed to libharu.
struct PNGImage {
    /// Maximum length of a side in pixels. A larger image is a mistake or an attack on memory.
    static let maximumSide = 4096

    let width: Int
    let height: Int
    /// Red, green and blue of each pixel, row by row.
    let pixels: [UInt8]

    /// The fields of the header.
    private struct Header {
        let width: Int
        let height: Int
        let depth: Int
        let color: UInt8

        /// The number of samples per pixel; nil for an invalid colour type.
        var channels: Int? {
            switch (color, depth) {
            case (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (3, 1), (3, 2), (3, 4), (3, 8): 1
            case (2, 8), (2, 16): 3
            case (4, 8), (4, 16): 2
            case (6, 8), (6, 16): 4
            default: nil
            }
        }
    }

    init?(_ data: Data) {
        let bytes = [UInt8](data)
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
            let chunks = PNGImage.chunks(bytes), let first = chunks.first, first.name == "IHDR",
            let header = PNGImage.header(first.body), let channels = header.channels
        else { return nil }
        let palette = chunks.first { $0.name == "PLTE" }.map { Array($0.body) } ?? []
        let transparency = chunks.first { $0.name == "tRNS" }.map { Array($0.body) } ?? []
        let stream = chunks.filter { $0.name == "IDAT" }.flatMap(\.body)
        let rowBytes = (header.width * channels * header.depth + 7) / 8
        guard var rows = PNGImage.inflated(stream, count: (rowBytes + 1) * header.height),
            PNGImage.unfilter(&rows, rowBytes, step: max(1, channels * header.depth / 8))
        else { return nil }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(header.width * header.height * 3)
        for y in 0..<header.height {
            let row = rows[(y * (rowBytes + 1) + 1)..<((y + 1) * (rowBytes + 1))]
            for x in 0..<header.width {
                func sample(_ channel: Int) -> Int {
                    let bitOffset = (x * channels + channel) * header.depth
                    let byte = Int(row[row.startIndex + bitOffset / 8])
                    guard header.depth < 8 else {
                        return header.depth == 8 ? byte : byte << 8 | Int(row[row.startIndex + bitOffset / 8 + 1])
                    }
                    return byte >> (8 - header.depth - bitOffset % 8) & (1 << header.depth - 1)
                }
                guard
                    let pixel = PNGImage.pixel(
                        (0..<channels).map(sample), color: header.color, depth: header.depth, palette: palette,
                        transparency: transparency)
                else { return nil }
                pixels += pixel
            }
        }
        width = header.width
        height = header.height
        self.pixels = pixels
    }

    // MARK: Chunks

    /// Returns the chunks up to the end; nil if one is truncated or its checksum is wrong.
    private static func chunks(_ bytes: [UInt8]) -> [(name: String, body: ArraySlice<UInt8>)]? {
        var chunks: [(name: String, body: ArraySlice<UInt8>)] = []
        var offset = 8
        while offset + 12 <= bytes.count {
            let length = number(bytes, offset)
            guard length <= bytes.count - offset - 12 else { return nil }
            let end = offset + 8 + length
            guard checksum(bytes[(offset + 4)..<end]) == UInt32(number(bytes, end)) else { return nil }
            let name = String(decoding: bytes[(offset + 4)..<(offset + 8)], as: UTF8.self)
            if name == "IEND" { return chunks }
            chunks.append((name, bytes[(offset + 8)..<end]))
            offset = end + 4
        }
        return nil
    }

    private static func header(_ body: ArraySlice<UInt8>) -> Header? {
        let bytes = Array(body)
        // Compression, filter and interlace methods: only 0 is supported.
        guard bytes.count == 13, bytes[10...] == [0, 0, 0] else { return nil }
        let header = Header(width: number(bytes, 0), height: number(bytes, 4), depth: Int(bytes[8]), color: bytes[9])
        return (1...maximumSide).contains(header.width) && (1...maximumSide).contains(header.height) ? header : nil
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
        bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    }

    /// CRC-32 of ISO 3309.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBufferPointer { UInt32(crc32_z(0, $0.baseAddress, $0.count)) }
    }

    /// Returns the content of a zlib stream (RFC 1950); nil if the stream is damaged or does not contain exactly
    /// `count` bytes.
    static func inflated(_ stream: [UInt8], count: Int) -> [UInt8]? {
        var status = Z_OK
        let content = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var length = uLongf(count)
            status = uncompress(buffer.baseAddress, &length, stream, uLong(stream.count))
            initialized = status == Z_OK ? Int(length) : 0
        }
        return status == Z_OK && content.count == count ? content : nil
    }

    // MARK: Pixels

    /// Reverses the filter of each row in the buffer. Returns false for an invalid filter.
    private static func unfilter(_ rows: inout [UInt8], _ rowBytes: Int, step: Int) -> Bool {
        let stride = rowBytes + 1
        for start in Swift.stride(from: 0, to: rows.count, by: stride) {
            let filter = rows[start]
            guard filter < 5 else { return false }
            for index in 1..<stride where filter > 0 {
                let left = index > step ? Int(rows[start + index - step]) : 0
                let up = start > 0 ? Int(rows[start - stride + index]) : 0
                let corner = start > 0 && index > step ? Int(rows[start - stride + index - step]) : 0
                let guess =
                    switch filter {
                    case 1: left
                    case 2: up
                    case 3: (left + up) / 2
                    default: paeth(left: left, up: up, corner: corner)
                    }
                rows[start + index] &+= UInt8(truncatingIfNeeded: guess)
            }
        }
        return true
    }

    private static func paeth(left: Int, up: Int, corner: Int) -> Int {
        let guess = left + up - corner
        let far = (left: abs(guess - left), up: abs(guess - up), corner: abs(guess - corner))
        return far.left <= far.up && far.left <= far.corner ? left : far.up <= far.corner ? up : corner
    }

    /// Returns a pixel's colour on white; nil for a colour that is not in the palette.
    private static func pixel(
        _ samples: [Int], color: UInt8, depth: Int, palette: [UInt8], transparency: [UInt8]
    ) -> [UInt8]? {
        let top = 1 << depth - 1
        func level(_ sample: Int) -> Int { sample * 255 / top }
        func on(_ alpha: Int, _ levels: [Int]) -> [UInt8] {
            levels.map { UInt8(truncatingIfNeeded: (Int($0) * alpha + 255 * (255 - alpha)) / 255) }
        }
        switch color {
        case 3:
            let index = samples[0]
            guard index * 3 + 2 < palette.count else { return nil }
            let alpha = index < transparency.count ? Int(transparency[index]) : 255
            return on(alpha, (0..<3).map { Int(palette[index * 3 + $0]) })
        case 4, 6:
            let grey = color == 4 ? 1 : 3
            let levels = (0..<3).map { level(samples[min($0, grey - 1)]) }
            return on(level(samples[grey]), levels)
        default:
            // One colour can be declared as transparent.
            let named = (0..<(transparency.count / 2)).map {
                Int(transparency[$0 * 2]) << 8 | Int(transparency[$0 * 2 + 1])
            }
            return on(named == samples ? 0 : 255, (0..<3).map { level(samples[min($0, samples.count - 1)]) })
        }
    }
}
