import Storage
import Submissions
import SubmissionsTestSupport

/// The queue as a few arrays, slow and simple: the model that the real queue must agree with.
struct QueueModel {
    struct Entry: Equatable {
        let number: Int64
        let enrolmentID: String
        let submissionID: String
        var status: SubmissionStatus = .received
        var begun = 0
        var attempts = 0
        var owner: String?
        var lease: Int64 = 0
        var until = 0.0
        /// The newest lease when it was returned: submissions leased by then may pass it.
        var returnedAt: Int64 = 0
    }

    private(set) var entries: [Entry] = []
    private(set) var lease: Int64 = 0

    mutating func enqueue(enrolmentID: String, submissionID: String, number: Int64) -> EnqueueResult {
        if entries.contains(where: { $0.enrolmentID == enrolmentID && $0.submissionID == submissionID }) {
            return .duplicate
        }
        entries.append(Entry(number: number, enrolmentID: enrolmentID, submissionID: submissionID))
        return .accepted
    }

    mutating func lease(owner: String, limit: Int, duration: Double, now: Double, isIdle: Bool) -> [Int64] {
        func isFree(_ enrolmentID: String) -> Bool {
            !entries.contains {
                $0.enrolmentID == enrolmentID && $0.owner != nil && $0.owner != owner && $0.until > now
            }
        }
        func isBegunBefore(_ entry: Entry, including: Bool) -> Bool {
            entries.contains {
                $0.enrolmentID == entry.enrolmentID && $0.status == .received && $0.begun > 0
                    && ($0.number < entry.number || including && $0.number == entry.number)
            }
        }
        func hasBegun(_ enrolmentID: String) -> Bool {
            entries.contains { $0.enrolmentID == enrolmentID && $0.status == .received && $0.begun > 0 }
        }
        func free() -> [Int] {
            Array(
                entries.indices.filter {
                    entries[$0].status == .received && isFree(entries[$0].enrolmentID)
                        && !(isIdle ? isBegunBefore(entries[$0], including: true) : hasBegun(entries[$0].enrolmentID))
                }.prefix(limit))
        }
        var chosen = free()
        while isIdle, chosen.isEmpty,
            let head = entries.indices.first(where: {
                entries[$0].status == .received && entries[$0].begun > 0 && isFree(entries[$0].enrolmentID)
                    && !isBegunBefore(entries[$0], including: false)
            })
        {
            if entries[head].begun < 3 || entries[head].owner == owner {
                chosen = [head]
            } else {
                end(head, .quarantined)
                chosen = free()
            }
        }
        guard !chosen.isEmpty else { return [] }
        lease += 1
        for index in chosen {
            for other in entries.indices
            where entries[other].enrolmentID == entries[index].enrolmentID && entries[other].owner != owner
                && !chosen.contains(other)
            {
                entries[other].owner = nil
            }
        }
        for index in chosen {
            if entries[index].owner != owner { entries[index].begun += 1 }
            entries[index].owner = owner
            entries[index].lease = lease
            entries[index].until = now + duration
        }
        return chosen.map { entries[$0].number }
    }

    func isHeld(_ submission: QueuedSubmission) -> Bool {
        guard let entry = entries.first(where: { $0.number == submission.number }) else { return false }
        return entry.status == .received && entry.owner == submission.leaseOwner && entry.lease == submission.lease
    }

    /// Whether the order is violated: an earlier submission of the device queue is still waiting, and was not returned
    /// meanwhile.
    func isOutOfOrder(_ submission: QueuedSubmission) -> Bool {
        entries.contains {
            $0.enrolmentID == submission.enrolmentID && $0.number < submission.number && $0.status == .received
                && $0.returnedAt < submission.lease
        }
    }

    mutating func settle(_ submission: QueuedSubmission, as outcome: SubmissionOutcome) -> Bool {
        guard isHeld(submission), let index = entries.firstIndex(where: { $0.number == submission.number }) else {
            return false
        }
        end(index, outcome.status)
        if outcome.releasesHeld { requeue { $0.enrolmentID == submission.enrolmentID && $0.status == .held } }
        return true
    }

    mutating func postpone(_ submission: QueuedSubmission, isFailure: Bool) {
        guard isHeld(submission) else { return }
        for index in entries.indices
        where entries[index].enrolmentID == submission.enrolmentID && entries[index].number >= submission.number
            && entries[index].owner == submission.leaseOwner
        {
            if isFailure, entries[index].number == submission.number { entries[index].attempts += 1 }
            entries[index].begun = 0
            entries[index].owner = nil
        }
    }

    mutating func takeOver(owner: String) {
        for index in entries.indices where entries[index].owner != owner { entries[index].owner = nil }
    }

    mutating func giveBack(owner: String) {
        for index in entries.indices where entries[index].owner == owner {
            entries[index].owner = nil
            entries[index].begun = 0
        }
    }

    @discardableResult
    mutating func requeue(where isMeant: (Entry) -> Bool) -> Int {
        let meant = entries.indices.filter { isMeant(entries[$0]) }
        for index in meant {
            end(index, .received)
            entries[index].attempts = 0
            entries[index].returnedAt = lease
        }
        return meant.count
    }

    private mutating func end(_ index: Int, _ status: SubmissionStatus) {
        entries[index].status = status
        entries[index].begun = 0
        entries[index].owner = nil
    }
}
