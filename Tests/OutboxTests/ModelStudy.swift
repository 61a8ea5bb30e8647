import Foundation
import Wire

@testable import Outbox

/// A study's server that keeps what it acknowledges, reports outcomes, and can be restored from a backup.
actor ModelStudy: Transport {
    struct Submission: Sendable, Hashable {
        let submissionID: String
        let sequence: Int64
        var status: String
        /// The number of its last change.
        var change: Int
    }

    /// The protocol version: current, an older server without epochs, or a server that refuses old cursors.
    enum Manner: Sendable { case agreed, withoutEpoch, refusingOldCursors }

    private let manner: Manner
    private(set) var epoch: Int64 = 1
    private(set) var stored: [String: Submission] = [:]
    private var backup: [String: Submission] = [:]
    private var changes = 0
    private var backupChanges = 0
    /// All submissions ever accepted, in the order of arrival.
    private(set) var arrivals: [String] = []
    /// The `after` parameter of each request for deliveries; `nil` for the beginning.
    private(set) var cursors: [String?] = []
    private var refusals: [String: Int] = [:]
    private var restoresWhileListing = 0
    private var isRestoredBeforeNext = false
    private var isDeaf = false

    init(_ manner: Manner = .agreed) { self.manner = manner }

    func makeBackup() { (backup, backupChanges) = (stored, changes) }

    /// Loses everything after the backup, and begins another epoch.
    func restore() {
        (stored, changes) = (backup, backupChanges)
        epoch += 1
    }

    /// Lists nothing, as for another client in the same epoch.
    func forget() { stored = [:] }

    /// Refuses every submission of this kind with this status from now on; `nil` accepts them again.
    func refuse(_ kind: String, with status: Int?) { refusals[kind] = status }

    /// Restores again after each of the next pages.
    func restoreWhileListing(_ times: Int) { restoresWhileListing = times }

    /// Restores before it accepts the next submission.
    func restoreBeforeNext() { isRestoredBeforeNext = true }

    /// Does not answer requests for deliveries.
    func becomeDeaf(_ isDeaf: Bool = true) { self.isDeaf = isDeaf }

    /// Sets the outcome of stored submissions.
    func settle(_ submissionIDs: some Sequence<String>, as status: String = "stored") {
        for submissionID in submissionIDs {
            changes += 1
            stored[submissionID]?.status = status
            stored[submissionID]?.change = changes
        }
    }

    func settleAll() { settle(stored.values.sorted { $0.sequence < $1.sequence }.map(\.submissionID)) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let path = request.url.path
        if path.hasSuffix("/oauth/token") {
            return .init(
                status: 200, body: try JSONEncoder().encode(TokenResponse(accessToken: "t", expiresIn: 86_400)))
        }
        if path.hasSuffix("/deliveries") {
            if isDeaf { throw URLError(.timedOut) }
            return try deliveries(request)
        }
        guard path.contains("/encfhir/"), let body = request.body, let header = try? EnvelopeHeader.read(from: body)
        else { return .init(status: 404) }
        if isRestoredBeforeNext {
            isRestoredBeforeNext = false
            restore()
        }
        if manner != .withoutEpoch, let known = request.headers[StudyPath.epochHeader], known != String(epoch) {
            return .init(
                status: 412,
                body: try JSONEncoder().encode(
                    ProblemDetails(
                        status: 412, title: "Precondition Failed", code: StudyPath.restoredCode,
                        submission: header.listedSubmissionID)))
        }
        if let status = refusals[request.url.lastPathComponent] {
            return TransportResponse(status: status).marked(for: header)
        }
        let submissionID = header.listedSubmissionID
        arrivals.append(submissionID)
        if stored[submissionID] == nil {
            changes += 1
            stored[submissionID] = Submission(
                submissionID: submissionID, sequence: header.sequence ?? 0, status: "received", change: changes)
        }
        return TransportResponse(status: 200).marked(for: header)
    }

    private func deliveries(_ request: TransportRequest) throws -> TransportResponse {
        let query = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems
        let after = query?.first { $0.name == "after" }?.value
        cursors.append(after)
        var start = 0
        if let after {
            let parts = after.split(separator: ".").compactMap { Int($0) }
            guard parts.count == 2 else { return .init(status: 400) }
            if manner == .refusingOldCursors, Int64(parts[0]) != epoch { return .init(status: 400) }
            start = parts[1]
        }
        let found = stored.values.filter { $0.change > start }.sorted { $0.change < $1.change }.prefix(2)
        let page = DeliveriesPage(
            deliveries: found.map {
                .init(submission: $0.submissionID, status: $0.status, at: "2026-01-01T00:00:00.000Z")
            },
            next: "\(epoch).\(found.last?.change ?? start)", epoch: manner == .withoutEpoch ? nil : epoch)
        if restoresWhileListing > 0 {
            restoresWhileListing -= 1
            restore()
        }
        return .init(status: 200, body: try JSONEncoder().encode(page))
    }

    nonisolated func connection(_ clock: WaitLog = WaitLog()) throws -> StudyConnection {
        StudyConnection(
            enrolment: try ScriptedStudy.enrolment(), transport: self,
            environment: DeviceEnvironment(now: { clock.now }, sleep: { clock.wait($0) }, random: { 0.5 }))
    }
}
