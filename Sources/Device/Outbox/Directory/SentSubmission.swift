import Foundation

/// An accepted submission that stays on the device, sealed, until the study has surely kept it: what its file's name in
/// `sent/` says. The name holds everything, so that one rename is the whole change and no journal can disagree.
public struct SentSubmission: Sendable, Hashable, Comparable {
    /// The fate of a submission, as the study said.
    public enum Fate: Sendable, Hashable {
        /// Nothing final yet: received, or held.
        case waiting
        /// Stored; the device heard of it at this time, to the second.
        case stored(Date)
        /// Refused; the device heard of it at this time, to the second.
        case refused(Date)
    }

    /// The submission. For a C3-PRO envelope its `sid` is the one that the study's deliveries name.
    public let entry: OutboxEntry
    /// The fate of the submission.
    public let fate: Fate

    init(entry: OutboxEntry, fate: Fate = .waiting) {
        self.entry = entry
        self.fate = fate
    }

    /// Reads a file name: that of an entry, or with `.stored-<seconds since 1970>` or `.refused-<seconds>` behind it.
    /// `nil` for any other name.
    public init?(name: String) {
        if let entry = OutboxEntry(name: name) {
            self.init(entry: entry)
            return
        }
        guard let dot = name.lastIndex(of: "."), let entry = OutboxEntry(name: String(name[..<dot])) else { return nil }
        let parts = name[name.index(after: dot)...].split(separator: "-", omittingEmptySubsequences: false)
        // One way to write a time: a name that is read must be the one that is written.
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

    /// Oldest first, by their numbers.
    public static func < (left: SentSubmission, right: SentSubmission) -> Bool {
        left.entry == right.entry ? left.name < right.name : left.entry < right.entry
    }

    /// The same submission with what a delivery said: `stored`, `refused`, or a word that is not final. The time of an
    /// earlier hearing of the same stays, unless the study was restored since: what it has now it may have received or
    /// decided anew.
    func told(_ status: String, at now: Date, isRestored: Bool = false) -> SentSubmission {
        switch (status, fate) {
        case ("stored", .stored) where !isRestored, ("refused", .refused) where !isRestored: self
        case ("stored", _): SentSubmission(entry: entry, fate: .stored(now))
        case ("refused", _): SentSubmission(entry: entry, fate: .refused(now))
        default: SentSubmission(entry: entry)
        }
    }

    /// When the device heard the final word; `nil` while there is none.
    var settledAt: Date? {
        switch fate {
        case .waiting: nil
        case .stored(let time), .refused(let time): time
        }
    }

    var isStored: Bool {
        if case .stored = fate { true } else { false }
    }

    /// The last time that a name tells, in seconds since 1970: that of twelve digits.
    private static let lastSecond: Int64 = 999_999_999_999

    /// Whole seconds, for any clock.
    private static func seconds(_ time: Date) -> Int64 {
        let seconds = time.timeIntervalSince1970
        return seconds.isNaN ? 0 : Int64(min(max(0, seconds), Double(lastSecond)))
    }
}

/// The limits to how long accepted submissions stay on the device.
public struct SentRetention: Sendable, Hashable {
    /// Seconds that a file stays after the study said `stored` or `refused`.
    public var period: Double
    /// Bytes of all files beyond which the stored ones go earlier, oldest first.
    public var maximumBytes: Int64
    /// Files beyond which the stored ones go earlier, oldest first.
    public var maximumFiles: Int

    /// 30 days, 512 MiB and 20,000 files unless said otherwise.
    public init(period: Double = 30 * 86_400, maximumBytes: Int64 = 512 << 20, maximumFiles: Int = 20_000) {
        self.period = period
        self.maximumBytes = maximumBytes
        self.maximumFiles = maximumFiles
    }

    /// The files that may go now: those whose period is over, and of the stored ones the oldest, until the rest is within
    /// the bounds. What the study has not said to have stored goes for no bound.
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
