import Core
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The samples that were sent from this device, so that the next import sends only new samples.
///
/// The file has a 16-byte header and 16 bytes a sample. Usage: ``stage(_:)`` the samples of a batch, queue the batch,
/// then ``commit()``. After a crash between the last two steps, the batch is sent again with the same resource ids. A
/// sample is never marked as sent unless it was queued.
public struct SentFingerprints: Sendable {
    private let path: String
    private var committed = FingerprintSet()
    private var staged = FingerprintSet()
    private var pending: [FingerprintKey] = []

    private static let heading = Array("tributary-seen-1".utf8)

    /// The reason why the file cannot be used.
    public enum Failure: CodedError, Hashable {
        /// The file has another format.
        case notSentFingerprints
        /// A system call failed, with its error number.
        case file(errno: Int32)

        /// The stable code.
        public var code: String {
            switch self {
            case .notSentFingerprints: "seen-identities-unreadable"
            case .file: "seen-identities-file"
            }
        }

        /// A sentence with the remedy.
        public var message: String {
            switch self {
            case .notSentFingerprints:
                "The file of sent samples has another format; move it away to start over."
            case .file(let number):
                "The file of sent samples cannot be read or written: \(String(cString: strerror(number)))."
            }
        }
    }

    /// Reads the file; a file that does not exist is empty. A last entry that a crash truncated is ignored.
    public init(file: URL) throws(Failure) {
        path = file.path
        let content: Data
        do {
            guard FileManager.default.fileExists(atPath: path) else { return }
            content = try Data(contentsOf: file)
        } catch {
            throw .file(errno: EIO)
        }
        guard content.count >= 16 else {
            // A crash happened while the file was created.
            guard content.elementsEqual(Self.heading.prefix(content.count)) else { throw .notSentFingerprints }
            return
        }
        guard content.prefix(16).elementsEqual(Self.heading) else { throw .notSentFingerprints }
        content.withUnsafeBytes { bytes in
            for offset in stride(from: 16, through: bytes.count - 16, by: 16) {
                committed.insert(
                    FingerprintKey(
                        high: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
                        low: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))))
            }
        }
    }

    /// The number of samples in the file.
    public var count: Int { committed.count }

    /// Returns whether the sample is in the file or staged.
    public func contains(_ fingerprint: SampleFingerprint) -> Bool {
        committed.contains(fingerprint.key) || staged.contains(fingerprint.key)
    }

    /// Stages a sample of the batch that is being created.
    public mutating func stage(_ fingerprint: SampleFingerprint) {
        guard !contains(fingerprint) else { return }
        staged.insert(fingerprint.key)
        pending.append(fingerprint.key)
    }

    /// Discards the staged samples: the batch was not queued.
    public mutating func discard() {
        staged = FingerprintSet()
        pending = []
    }

    /// Appends the staged samples to the file and flushes it to disk.
    public mutating func commit() throws(Failure) {
        guard !pending.isEmpty else { return }
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .file(errno: errno) }
        defer { close(file) }
        let size = lseek(file, 0, SEEK_END)
        guard size >= 0 else { throw .file(errno: errno) }
        // A truncated entry at the end, left by a crash, is overwritten.
        let whole = size - size % 16
        guard lseek(file, whole, SEEK_SET) >= 0 else { throw .file(errno: errno) }
        var output = whole == 0 ? Self.heading : []
        output.reserveCapacity(output.count + pending.count * 16)
        for key in pending {
            withUnsafeBytes(of: key.high.littleEndian) { output.append(contentsOf: $0) }
            withUnsafeBytes(of: key.low.littleEndian) { output.append(contentsOf: $0) }
        }
        var written = 0
        while written < output.count {
            let count = output.withUnsafeBytes {
                write(file, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let number = count < 0 ? errno : ENOSPC
                _ = ftruncate(file, whole)
                throw .file(errno: number)
            }
            written += count
        }
        guard fsync(file) == 0 else { throw .file(errno: errno) }
        for key in pending { committed.insert(key) }
        discard()
    }
}
