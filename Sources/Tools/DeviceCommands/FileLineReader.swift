import Foundation
import Storage

/// The lines of a file, read in chunks.
package struct FileLineReader {
    private let handle: FileHandle?
    private var buffer: Data
    private var isAtEnd: Bool
    private var scanned = 0

    /// Maximum bytes of a line.
    static let maximumLine = 256 << 20

    package init(path: String) throws {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            try FileAccess.require(URL(fileURLWithPath: path))
            throw CommandError("file-unreadable", "The file \(path) cannot be read.")
        }
        self.handle = handle
        buffer = Data()
        isAtEnd = false
    }

    package init(data: Data) {
        handle = nil
        buffer = data
        isAtEnd = true
    }

    /// Returns the offset of the next line feed. Foundation's own search takes longer than the validation.
    private static func lineFeed(in data: Data, from offset: Int) -> Int? {
        data.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, offset < bytes.count,
                let found = memchr(base + offset, 10, bytes.count - offset)
            else { return nil }
            return base.distance(to: UnsafeRawPointer(found))
        }
    }

    /// Returns the next line without its end; nil after the last one.
    package mutating func next() throws -> Data? {
        while true {
            if let length = FileLineReader.lineFeed(in: buffer, from: scanned) {
                let start = buffer.startIndex
                let line = Data(buffer[start..<start + length])
                buffer = buffer[(start + length + 1)...]
                scanned = 0
                return line
            }
            scanned = buffer.count
            if isAtEnd {
                guard !buffer.isEmpty else { return nil }
                defer { buffer = Data() }
                scanned = 0
                return buffer
            }
            guard buffer.count < FileLineReader.maximumLine else {
                throw CommandError("line-too-long", "A line of the file has more than 256 MiB.")
            }
            let piece = try handle?.read(upToCount: 1 << 20) ?? Data()
            if piece.isEmpty { isAtEnd = true } else { buffer = Data(buffer) + piece }
        }
    }
}
