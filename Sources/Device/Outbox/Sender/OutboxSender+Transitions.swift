import Core
import Wire

extension OutboxSender {
    /// Returns the next entry to send: the first one, but after a refused Contract only another Contract, at any index.
    static func next(of entries: [OutboxEntry], _ consent: OutboxConsentState) -> OutboxEntry? {
        switch consent {
        case .given: entries.min()
        case .none, .refused: entries.filter(\.isContract).min()
        }
    }

    /// Handles an event and returns the next effect; `nil` if the event does not belong to the current phase.
    public mutating func handle(_ event: Event) -> Effect? {
        switch (phase, event) {
        case (.finished, _): return nil
        case (_, .timeOver): return finish(.held(code: lastCode))

        case (.listing, .queue(let entries, let consent)):
            guard let entry = Self.next(of: entries, consent) else {
                return finish(entries.isEmpty ? .emptied : .stopped)
            }
            phase = .reading(entry)
            return .read(entry)

        case (.reading(let entry), .fileRead):
            phase = .authorising(entry, renewed: false)
            return .obtainToken(renewing: false)
        case (.reading(let entry), .fileUnreadable):
            return moveToRefused(entry, status: nil, code: "entry-unreadable")
        case (.reading, .fileMissing):
            phase = .listing
            return .list

        case (.authorising(let entry, let renewed), .tokenObtained):
            phase = .posting(entry, renewed: renewed)
            return .post(entry)
        case (.authorising, .tokenRefused):
            return finish(.held(code: "token-refused"))
        case (.authorising, .tokenFailed(let retryAfter)):
            return hold("server-unavailable", retryAfter: retryAfter)

        case (.posting(let entry, let renewed), .answered(let answer)):
            return answered(entry, renewed: renewed, answer)
        case (.posting, .networkFailed), (.authorising, .networkFailed):
            return hold("connection-failed", retryAfter: nil)

        default: return nil
        }
    }

    private mutating func answered(_ entry: OutboxEntry, renewed: Bool, _ answer: SubmissionAnswer) -> Effect {
        switch (answer.status, answer.mark) {
        case (200...201, .acknowledged):
            sent += 1
            failures = 0
            phase = .listing
            return .moveToSent(entry)
        case (401, _) where !renewed:
            phase = .authorising(entry, renewed: true)
            return .obtainToken(renewing: true)
        case (401, .problem): return hold("token-refused", retryAfter: answer.retryAfter)
        // A delay does not help: the submissions that the study lost must be sent first.
        case (412, .problem(StudyPath.restoredCode)): return finish(.held(code: StudyPath.restoredCode))
        case (408, _), (425, _), (429, _), (500..<600, _):
            return hold("server-unavailable", retryAfter: answer.retryAfter)
        case (400..<500, .problem(let code)) where SubmissionAnswer.isAboutBody(status: answer.status):
            return moveToRefused(entry, status: answer.status, code: code)
        // The study does not accept the submission now because of the client or the network path; the code is the
        // reason.
        case (400..<500, .problem(let code)): return hold(code, retryAfter: answer.retryAfter)
        // The response is not known to be the study's: it proves neither that the file arrived nor that it is invalid.
        default: return hold("answer-unmarked", retryAfter: answer.retryAfter)
        }
    }

    private mutating func moveToRefused(_ entry: OutboxEntry, status: Int?, code: String) -> Effect {
        refused += 1
        failures = 0
        phase = .listing
        return .moveToRefused(entry, status: status, code: code)
    }

    private mutating func hold(_ code: String, retryAfter: Double?) -> Effect {
        failures += 1
        lastCode = code
        guard failures < patience.attempts else { return finish(.held(code: code)) }
        phase = .listing
        // Exponential with full jitter, so that devices that failed together do not retry together.
        let spread = ExponentialBackoff(first: patience.firstDelay, longest: patience.longestDelay)
            .delay(afterFailures: failures)
        return .wait(atLeast: ServerDelay.clamped(retryAfter ?? 0), spread: spread)
    }

    private mutating func finish(_ outcome: Outcome) -> Effect {
        phase = .finished(outcome)
        return .finish(outcome)
    }
}
