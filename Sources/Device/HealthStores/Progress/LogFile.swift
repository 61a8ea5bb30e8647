import DeviceSystem
import Foundation
import HealthSync

/// A log on the device's disk, for ``HealthIndexLog``, the NDJSON store and the journal.
struct LogFile: HealthLogFile {
    let url: URL
    private let files = PosixFiles()

    init(_ url: URL) { self.url = url }

    func size() throws -> Int { Int(try files.size(of: url)) }

    func read(from offset: Int, count: Int) throws -> [UInt8] { try files.read(url, from: offset, count: count) }

    func write(_ bytes: [UInt8], at offset: Int) throws { try files.write(bytes, to: url, at: offset) }
}
