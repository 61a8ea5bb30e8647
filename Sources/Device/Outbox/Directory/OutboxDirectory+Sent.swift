import Foundation
import Wire

extension OutboxDirectory {
    /// Returns the accepted submissions on the device, in order.
    public func sentSubmissions() throws(OutboxError) -> [SentSubmission] {
        try files.names(in: sentFolder).compactMap(SentSubmission.init(name:)).sorted()
    }

    /// Moves an accepted submission to the sent ones. After a stop before the end, it is sent once more.
    /// - Parameter listedAs: the id under which the study lists the submission, if it differs from the entry's own
    ///   (C3-PRO).
    func moveToSent(_ entry: OutboxEntry, listedAs id: String? = nil) throws(OutboxError) {
        let submissionID = id.flatMap(OutboxEntry.canonical) ?? entry.submissionID
        let target = SentSubmission(
            entry: OutboxEntry(sequence: entry.sequence, kind: entry.kind, submissionID: submissionID))
        try locked { () throws(OutboxError) in
            // 1. The state is saved before the file is moved.
            let before = try state()
            var state = before
            state.settle(entry, as: .given)
            do throws(OutboxError) {
                try store(state)
            } catch {
                // Sending must work on a full disk: the next answer to a Contract records the newest one.
                guard error.reason == .storageFull, state.consent == before.consent else { throw error }
            }
            // 2. The file.
            try files.move(
                folder.appendingPathComponent(entry.name), to: sentFolder.appendingPathComponent(target.name))
            try files.syncFolder(sentFolder)
            try files.syncFolder(folder)
        }
    }

    /// Records the statuses of sent submissions, and removes those that need not be kept any longer.
    ///
    /// - Parameters:
    ///   - statuses: the newest status of each submission.
    ///   - isRestored: whether the study was restored from a backup since its last statuses: their time then begins
    ///     again.
    ///   - now: the device's time.
    /// - Returns: the number of newly stored, newly refused and removed submissions. After a stop before the end, each
    ///   file has either its old or its new name.
    func record(
        _ statuses: [String: String], isRestored: Bool = false, retention: SentRetention, now: Date
    ) throws(OutboxError) -> (stored: Int, refused: Int, removed: Int) {
        try locked { () throws(OutboxError) in
            var (stored, refused) = (0, 0)
            // 1. The names record the statuses.
            var sent = try sentSubmissions()
            for (index, old) in sent.enumerated() {
                guard
                    let new = statuses[old.entry.submissionID].map({
                        old.withStatus($0, at: now, isRestored: isRestored)
                    }), new != old
                else { continue }
                try files.move(
                    sentFolder.appendingPathComponent(old.name), to: sentFolder.appendingPathComponent(new.name))
                sent[index] = new
                switch (old.fate, new.fate) {
                case (.stored, .stored), (.refused, .refused), (_, .waiting): break
                case (_, .stored): stored += 1
                case (_, .refused): refused += 1
                }
            }
            try files.syncFolder(sentFolder)
            // 2. Only submissions with a durably recorded outcome may be removed.
            var sizes: [(submission: SentSubmission, bytes: Int64)] = []
            for submission in sent {
                sizes.append((submission, try files.size(of: sentFolder.appendingPathComponent(submission.name))))
            }
            let expired = retention.expired(of: sizes, now: now)
            try remove(expired)
            return (stored, refused, expired.count)
        }
    }

    /// Returns the sent submissions whose envelopes contain a requested number. C3-PRO's envelopes contain none, and
    /// the study does not list them as missing.
    func numbered(_ submissions: [SentSubmission], where isAsked: (Int64) -> Bool) -> [SentSubmission] {
        submissions.filter { submission in
            guard isAsked(submission.entry.sequence),
                let content = try? files.read(sentFolder.appendingPathComponent(submission.name)),
                let header = try? EnvelopeHeader.read(from: content)
            else { return false }
            return header.sequence == submission.entry.sequence
        }
    }

    /// Returns sent submissions that the study does not have any more to the queue with their old numbers, the oldest
    /// first: a Contract precedes the data that it covers, even after a stop before the end. Submissions that were
    /// removed meanwhile are skipped.
    /// - Returns: the number of submissions that were moved.
    func requeue(_ submissions: [SentSubmission]) throws(OutboxError) -> Int {
        guard !submissions.isEmpty else { return 0 }
        return try locked { () throws(OutboxError) in
            let present = Set(try sentSubmissions())
            let lost = submissions.filter(present.contains).sorted()
            for submission in lost {
                try files.move(
                    sentFolder.appendingPathComponent(submission.name),
                    to: folder.appendingPathComponent(submission.entry.name))
            }
            try files.syncFolder(folder)
            try files.syncFolder(sentFolder)
            return lost.count
        }
    }

    /// Makes room by removing stored submissions, beginning with those that were stored first. Call it only while
    /// locked.
    /// - Returns: whether anything was removed.
    func freeSpace(for bytes: Int64) throws(OutboxError) -> Bool {
        var freed: Int64 = 0
        var chosen: [SentSubmission] = []
        let stored = try sentSubmissions().filter(\.isStored)
        for submission in stored.sorted(by: { ($0.settledAt ?? .distantPast, $0) < ($1.settledAt ?? .distantPast, $1) })
        where freed < bytes {
            freed += try files.size(of: sentFolder.appendingPathComponent(submission.name))
            chosen.append(submission)
        }
        try remove(chosen)
        return !chosen.isEmpty
    }

    private func remove(_ submissions: [SentSubmission]) throws(OutboxError) {
        guard !submissions.isEmpty else { return }
        for submission in submissions { try files.remove(sentFolder.appendingPathComponent(submission.name)) }
        try files.syncFolder(sentFolder)
    }
}
