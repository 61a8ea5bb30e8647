import Foundation

/// An accepted submission that is kept on the device, sealed, until the study has safely stored it. The name of its
/// file in `sent/` contains its whole state, so a change is one rename, and no second file can disagree.
public struct SentSubmission: Sendable, Hashable, Comparable {
    /// The fate of a submission, as reported by the study.
    public enum Fate: Sendable, Hashable {
        /// No final outcome: received or held.
        case waiting
        /// Stored, as reported to the device at this time, to the second.
        case stored(Date)
        /// Refused, as reported to the device at this time, to the second.
        case refused(Date)
    }

    /// The submission. For a C3-PRO envelope its `sid` is the one in the study's deliveries.
    public let entry: OutboxEntry
    /// The fate of the submission.
    public let fate: Fate

    init(entry: OutboxEntry, fate: Fate = .waiting) {
        self.entry = entry
        self.fate = fate
    }

    /// Reads a file name: that of an entry, or one with the suffix `.stored-<seconds since 1970>` or
    /// `.refused-<seconds>`. `nil` for any other name.
    public init?(name: String) {
        if let entry = OutboxEntry(name: name) {
            self.init(entry: entry)
            return
        }
        guard let dot = name.lastIndex(of: "."), let entry = OutboxEntry(name: String(name[..<dot])) else { return nil }
        let parts = name[name.index(after: dot)...].split(separator: "-", omittingEmptySubsequences: false)
        // The form of a time is unique: a name that is read must equal the name that is written.
        guard parts.count == 2, let seconds = Int64(parts[1]), (0...Self.lastSecond).contains(seconds),
            String(seconds) == parts[1]
        else { return nil }
        let time = Date(timeIntervalSince1970: Double(seconds))
        switch parts[0] {
        case "stored": self.init(entry: entry, fate: .stored(time))
        case "refused": self.init(entry: entry, fate: .refused(time))
        default: return nil
        }
    }

    /// The file's name.
    public var name: String {
        switch fate {
        case .waiting: entry.name
        case .stored(let time): "\(entry.name).stored-\(Self.seconds(time))"
        case .refused(let time): "\(entry.name).refused-\(Self.seconds(time))"
        }
    }

    /// Orders submissions by their numbers.
    public static func < (left: SentSubmission, right: SentSubmission) -> Bool {
        left.entry == right.entry ? left.name < right.name : left.entry < right.entry
    }

    /// Returns the submission with the status of a delivery: `stored`, `refused`, or a status that is not final. The
    /// time of an earlier equal status is kept, unless the study was restored since then: it may have received or
    /// decided the submission again.
    func withStatus(_ status: String, at now: Date, isRestored: Bool = false) -> SentSubmission {
        switch (status, fate) {
        case ("stored", .stored) where !isRestored, ("refused", .refused) where !isRestored: self
        case ("stored", _): SentSubmission(entry: entry, fate: .stored(now))
        case ("refused", _): SentSubmission(entry: entry, fate: .refused(now))
        default: SentSubmission(entry: entry)
        }
    }

    /// When the device received the final status; `nil` if there is none.
    var settledAt: Date? {
        switch fate {
        case .waiting: nil
        case .stored(let time), .refused(let time): time
        }
    }

    var isStored: Bool {
        if case .stored = fate { true } else { false }
    }

    /// The latest time in a name, in seconds since 1970: the maximum of twelve digits.
    private static let lastSecond: Int64 = 999_999_999_999

    /// Returns whole seconds within the range of names, for any clock.
    private static func seconds(_ time: Date) -> Int64 {
        let seconds = time.timeIntervalSince1970
        return seconds.isNaN ? 0 : Int64(min(max(0, seconds), Double(lastSecond)))
    }
}

/// The limits for accepted submissions on the device.
public struct SentRetention: Sendable, Hashable {
    /// Seconds that a file is kept after the study reported `stored` or `refused`.
    public var period: Double
    /// Maximum bytes of all files. Beyond it stored submissions are removed earlier, the oldest first.
    public var maximumBytes: Int64
    /// Maximum number of files. Beyond it stored submissions are removed earlier, the oldest first.
    public var maximumFiles: Int

    /// Creates limits; by default 30 days, 512 MiB and 20,000 files.
    public init(period: Double = 30 * 86_400, maximumBytes: Int64 = 512 << 20, maximumFiles: Int = 20_000) {
        self.period = period
        self.maximumBytes = maximumBytes
        self.maximumFiles = maximumFiles
    }

    /// Returns the files that may be removed now: those whose period is over, and the oldest stored ones until the rest
    /// is within the limits. A submission that the study has not reported as stored is never removed for a limit.
    func expired(of sent: [(submission: SentSubmission, bytes: Int64)], now: Date) -> [SentSubmission] {
        var gone: [SentSubmission] = []
        var (bytes, files) = (Int64(0), 0)
        var stored: [(submission: SentSubmission, bytes: Int64, since: Date)] = []
        for (submission, size) in sent {
            if let since = submission.settledAt, now.timeIntervalSince(since) >= period {
                gone.append(submission)
                continue
            }
            files += 1
            bytes += size
            if submission.isStored, let since = submission.settledAt { stored.append((submission, size, since)) }
        }
        stored.sort { ($0.since, $0.submission) < ($1.since, $1.submission) }
        for candidate in stored {
            guard bytes > maximumBytes || files > maximumFiles else { break }
            gone.append(candidate.submission)
            files -= 1
            bytes -= candidate.bytes
        }
        return gone
    }
}
