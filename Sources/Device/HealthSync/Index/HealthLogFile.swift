/// A file of bytes that grows at its end: what ``HealthIndexLog`` needs of a disk.
public protocol HealthLogFile: Sendable {
    /// Its length in bytes; 0 where there is none.
    func size() throws -> Int
    /// So many bytes from a place, or as many as there are.
    func read(from place: Int, count: Int) throws -> [UInt8]
    /// Writes bytes at a place, at which the file ends or is cut first. They are durable when the call returns.
    func write(_ bytes: [UInt8], at place: Int) throws
}
