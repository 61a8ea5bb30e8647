import Foundation
import Wire

extension OutboxDirectory {
    /// The accepted submissions that are kept, in their order.
    public func sentSubmissions() throws(OutboxError) -> [SentSubmission] {
        try files.names(in: sentFolder).compactMap(SentSubmission.init(name:)).sorted()
    }

    /// Moves an accepted submission to the sent ones. A stop before the end only means that it is sent once more.
    /// - Parameter listedAs: the id under which the study lists it, if it is another than the entry's own (C3-PRO).
    func moveToSent(_ entry: OutboxEntry, listedAs id: String? = nil) throws(OutboxError) {
        let submissionID = id.flatMap(OutboxEntry.canonical) ?? entry.submissionID
        let target = SentSubmission(
            entry: OutboxEntry(sequence: entry.sequence, kind: entry.kind, submissionID: submissionID))
        try locked { () throws(OutboxError) in
            // 1. What the file stood for is remembered before the file goes.
            let before = try state()
            var state = before
            state.settle(entry, as: .given)
            do throws(OutboxError) {
                try store(state)
            } catch {
                // Sending needs no room: that this Contract is the newest is told by the next answer to one.
                guard error.reason == .storageFull, state.consent == before.consent else { throw error }
            }
            // 2. The file.
            try files.move(
                folder.appendingPathComponent(entry.name), to: sentFolder.appendingPathComponent(target.name))
            try files.syncFolder(sentFolder)
            try files.syncFolder(folder)
        }
    }

    /// Notes what the study said of sent submissions, and removes what need not be kept longer.
    ///
    /// - Parameters:
    ///   - told: the newest status by submission.
    ///   - isRestored: whether the study was restored from a backup since it last said something: what it has kept is
    ///     then kept since now.
    ///   - now: the device's time.
    /// - Returns: how many became stored, how many refused, how many files went. A stop before the end leaves each file
    ///   under its old name or its new one.
    func note(
        _ told: [String: String], isRestored: Bool = false, retention: SentRetention, now: Date
    ) throws(OutboxError) -> (stored: Int, refused: Int, removed: Int) {
        try locked { () throws(OutboxError) in
            var (stored, refused) = (0, 0)
            // 1. The names say what became of each.
            var sent = try sentSubmissions()
            for (index, old) in sent.enumerated() {
                guard let new = told[old.entry.submissionID].map({ old.told($0, at: now, isRestored: isRestored) }),
                    new != old
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
            // 2. Only what is durably told to be settled may go.
            var sizes: [(submission: SentSubmission, bytes: Int64)] = []
            for submission in sent {
                sizes.append((submission, try files.size(of: sentFolder.appendingPathComponent(submission.name))))
            }
            let expired = retention.expired(of: sizes, now: now)
            try remove(expired)
            return (stored, refused, expired.count)
        }
    }

    /// Those of sent submissions whose envelopes show a number that is asked for: C3-PRO's show none, and the study does
    /// not miss them.
    func numbered(_ submissions: [SentSubmission], where isAsked: (Int64) -> Bool) -> [SentSubmission] {
        submissions.filter { submission in
            guard isAsked(submission.entry.sequence),
                let content = try? files.read(sentFolder.appendingPathComponent(submission.name)),
                let header = try? EnvelopeHeader.read(from: content)
            else { return false }
            return header.sequence == submission.entry.sequence
        }
    }

    /// Puts sent submissions that the study does not have any more back into the queue, each in its old place, the
    /// oldest first: a Contract comes before the data that it covers, also where this is stopped half way. What is gone
    /// meanwhile is passed over.
    /// - Returns: how many went back.
    func requeue(_ submissions: [SentSubmission]) throws(OutboxError) -> Int {
        guard !submissions.isEmpty else { return 0 }
        return try locked { () throws(OutboxError) in
            let standing = Set(try sentSubmissions())
            let lost = submissions.filter(standing.contains).sorted()
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

    /// Makes room by removing stored submissions, those first that have been so the longest. Only while locked.
    /// - Returns: whether anything went.
    func makeRoom(for bytes: Int64) throws(OutboxError) -> Bool {
        var room: Int64 = 0
        var chosen: [SentSubmission] = []
        let stored = try sentSubmissions().filter(\.isStored)
        for submission in stored.sorted(by: { ($0.settledAt ?? .distantPast, $0) < ($1.settledAt ?? .distantPast, $1) })
        where room < bytes {
            room += try files.size(of: sentFolder.appendingPathComponent(submission.name))
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
