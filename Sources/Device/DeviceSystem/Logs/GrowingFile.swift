import Foundation

/// A file of bytes that grows at its end: the file operations of a log.
public protocol GrowingFile: Sendable {
    /// Returns the length in bytes; 0 if there is no file.
    func size() throws -> Int
    /// Reads up to `count` bytes from an offset.
    func read(from offset: Int, count: Int) throws -> [UInt8]
    /// Writes bytes at an offset: the end of the file, or an offset before it, where the file is truncated first. The
    /// bytes are durable when the call returns; after a failure a part of them may remain at the end.
    func write(_ bytes: [UInt8], at offset: Int) throws
}

/// A growing file on the device's disk.
public struct LogFile: GrowingFile {
    /// The file.
    public let url: URL
    private let files = PosixFiles()

    /// Creates a log at a URL. The file need not exist.
    public init(_ url: URL) { self.url = url }

    public func size() throws -> Int { Int(try files.size(of: url)) }

    public func read(from offset: Int, count: Int) throws -> [UInt8] {
        try files.read(url, from: offset, count: count)
    }

    public func write(_ bytes: [UInt8], at offset: Int) throws { try files.write(bytes, to: url, at: offset) }
}
