import Core
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The samples that were sent from this device, so that the next import sends only what is new.
///
/// A file of a 16-byte heading and 16 bytes a sample. Use: ``stage(_:)`` what goes into a batch, put the batch into the
/// queue, then ``commit()``. A crash between the two sends the batch again, under the same resource ids; nothing is
/// ever marked as sent that was not queued.
public struct SentFingerprints: Sendable {
    private let path: String
    private var committed = FingerprintSet()
    private var staged = FingerprintSet()
    private var pending: [FingerprintKey] = []

    private static let heading = Array("tributary-seen-1".utf8)

    /// The reason that the file cannot be used.
    public enum Failure: CodedError, Hashable {
        /// The file is of another kind.
        case notSentFingerprints
        /// The system refused, with its error number.
        case file(errno: Int32)

        /// The stable code.
        public var code: String {
            switch self {
            case .notSentFingerprints: "seen-identities-unreadable"
            case .file: "seen-identities-file"
            }
        }

        /// A sentence that a person can act on.
        public var message: String {
            switch self {
            case .notSentFingerprints:
                "The file of samples already sent is of another kind; move it away to start anew."
            case .file(let number):
                "The file of samples already sent cannot be read or written: \(String(cString: strerror(number)))."
            }
        }
    }

    /// Reads the file; one that does not exist is empty. A last entry that a crash cut short is ignored.
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
            // A crash while the file was made.
            guard content.elementsEqual(Self.heading.prefix(content.count)) else { throw .notSentFingerprints }
            return
        }
        guard content.prefix(16).elementsEqual(Self.heading) else { throw .notSentFingerprints }
        content.withUnsafeBytes { bytes in
            for place in stride(from: 16, through: bytes.count - 16, by: 16) {
                committed.insert(
                    FingerprintKey(
                        high: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)),
                        low: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self))))
            }
        }
    }

    /// The number of samples that are on file.
    public var count: Int { committed.count }

    /// Whether the sample is on file or staged.
    public func contains(_ fingerprint: SampleFingerprint) -> Bool {
        committed.contains(fingerprint.key) || staged.contains(fingerprint.key)
    }

    /// Remembers a sample of the batch that is being made.
    public mutating func stage(_ fingerprint: SampleFingerprint) {
        guard !contains(fingerprint) else { return }
        staged.insert(fingerprint.key)
        pending.append(fingerprint.key)
    }

    /// Forgets what is staged: the batch was not queued.
    public mutating func discard() {
        staged = FingerprintSet()
        pending = []
    }

    /// Writes what is staged to the end of the file and waits for the disk.
    public mutating func commit() throws(Failure) {
        guard !pending.isEmpty else { return }
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .file(errno: errno) }
        defer { close(file) }
        let size = lseek(file, 0, SEEK_END)
        guard size >= 0 else { throw .file(errno: errno) }
        // A cut entry at the end, of a crash, is written over.
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
