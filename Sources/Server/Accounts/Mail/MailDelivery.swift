import Core
import CoreMetrics
import Foundation
import Logging
import Storage

/// Sends the mails of the queue, for as long as a study is served. Requests never wait for it.
///
/// Mails are sent one at a time, in the order in which they are due. A server that cannot be reached delays all mails;
/// a mail that is refused for now delays no other one. Neither the log nor a metric contains an address, a subject or a
/// text.
///
/// A mail is sent again if the process is killed after the server accepted it and before that is recorded. It then has
/// the same `Message-ID`.
package struct MailDelivery: Sendable {
    /// Intervals of the loop.
    package struct Pace: Sendable, Hashable {
        /// Maximum time until the store is checked for mails of other hosts.
        package var poll: Duration
        /// Delay after a first failure of the mail server or of the store; it doubles with each further one.
        package var firstPause: Duration
        package var longestPause: Duration

        package init(
            poll: Duration = .seconds(5), firstPause: Duration = .seconds(1), longestPause: Duration = .seconds(60)
        ) {
            self.poll = poll
            self.firstPause = firstPause
            self.longestPause = longestPause
        }
    }

    private let queue: MailQueue
    private let sender: any MailSender
    private let owner: String
    private let schedule: MailSchedule
    private let pace: Pace
    private let logger: Logger
    private let metrics: (any MetricsFactory)?

    /// - Parameters:
    ///   - owner: owner of the leases; nil for this process.
    ///   - metrics: factory of `mails`, the number of mails by their end; nil for none.
    package init(
        queue: MailQueue, sender: any MailSender, logger: Logger, metrics: (any MetricsFactory)? = nil,
        owner: String? = nil, schedule: MailSchedule = MailSchedule(), pace: Pace = Pace()
    ) {
        self.queue = queue
        self.sender = sender
        self.logger = logger
        self.metrics = metrics
        self.owner = owner ?? LeaseOwner.ofThisProcess().description
        self.schedule = schedule
        self.pace = pace
    }

    /// An attempt whose outcome is not recorded yet.
    struct Attempt: Sendable {
        let mail: QueuedMail
        let outcome: MailOutcome
    }

    /// Sends mails until the task is cancelled. The attempt in progress ends first.
    package func run() async {
        var attempt: Attempt?
        var isReleased = false
        var isTroubled = false
        var serverBackoff = ExponentialBackoff(first: pace.firstPause, longest: pace.longestPause)
        var storeBackoff = serverBackoff
        while !Task.isCancelled {
            do {
                if !isReleased { try await queue.releaseAbandoned(owner: owner) }
                isReleased = true
                let outcome = try await step(&attempt)
                storeBackoff.reset()
                switch outcome {
                case nil:
                    let next = try await queue.untilNextDue() ?? pace.poll
                    _ = await queue.arrivals.wait(upTo: min(max(next, .milliseconds(1)), pace.poll))
                case .unavailable(let problem)?:
                    if !isTroubled { log(.error, "mail cannot be sent; it waits", problem: problem) }
                    isTroubled = true
                    try? await Task.sleep(for: serverBackoff.nextDelay())
                default:
                    if isTroubled { logger.notice("mail is sent again") }
                    isTroubled = false
                    serverBackoff.reset()
                }
            } catch is CancellationError {
                break
            } catch {
                let code = (error as? any CodedError)?.code ?? "failed"
                log(.error, "the mails that wait cannot be read or changed", problem: MailProblem(code))
                try? await Task.sleep(for: storeBackoff.nextDelay())
            }
        }
        if let attempt { _ = try? await record(attempt) }
    }

    /// Sends one mail and records the outcome.
    ///
    /// - Parameter attempt: attempt whose outcome an earlier step could not record; it is recorded first.
    /// - Returns: the outcome; nil if no mail is due.
    @discardableResult
    func step(_ attempt: inout Attempt?) async throws -> MailOutcome? {
        if let earlier = attempt {
            try await record(earlier)
            attempt = nil
        }
        guard let mail = try await queue.lease(owner: owner) else { return nil }
        let outcome = await outcome(of: mail)
        attempt = Attempt(mail: mail, outcome: outcome)
        try await record(Attempt(mail: mail, outcome: outcome))
        attempt = nil
        return outcome
    }

    private func outcome(of mail: QueuedMail) async -> MailOutcome {
        guard let content = mail.content,
            let message = try? MailMessage(id: mail.id, from: sender.sender, content: content, date: mail.created)
        else { return .refused(MailProblem("mail-unreadable")) }
        return await sender.send(message)
    }

    /// Records an outcome, also in a task that is cancelled.
    private func record(_ attempt: Attempt) async throws {
        let (queue, schedule) = (queue, schedule)
        let decision = try await Task {
            try await queue.settle(attempt.mail, as: attempt.outcome, schedule: schedule)
        }.value
        switch decision {
        case nil:
            logger.warning(
                "a mail was removed or taken over during an attempt", metadata: ["mail": "\(attempt.mail.id)"])
        case .retry?:
            if case .deferred(let problem) = attempt.outcome {
                log(.notice, "a mail is deferred", problem: problem, of: attempt)
            }
        case .remove(let end)?:
            count(end)
            switch end {
            case .sent: logger.debug("a mail was sent", metadata: ["mail": "\(attempt.mail.id)"])
            case .refused: log(.error, "a mail was refused", problem: attempt.outcome.problem, of: attempt)
            case .givenUp: log(.error, "a mail was given up", problem: attempt.outcome.problem, of: attempt)
            }
        }
    }

    private func log(
        _ level: Logger.Level, _ text: Logger.Message, problem: MailProblem?, of attempt: Attempt? = nil
    ) {
        var metadata: Logger.Metadata = [:]
        if let problem { metadata["code"] = "\(problem.code)" }
        if let reply = problem?.reply { metadata["reply"] = "\(reply)" }
        if let attempt { metadata["mail"] = "\(attempt.mail.id)" }
        logger.log(level: level, text, metadata: metadata)
    }

    private func count(_ end: MailEnd) {
        guard let metrics else { return }
        Counter(label: "mails", dimensions: [("end", end.rawValue)], factory: metrics).increment()
    }
}
