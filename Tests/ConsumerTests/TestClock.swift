import FHIR
import Foundation
import InformedConsent
import RecordStorage
import Storage
import Synchronization

@testable import Admission
@testable import Consumer

/// A clock that a test sets.
final class TestClock: Sendable {
    private let time: Mutex<Date>

    init(_ start: Date) { time = Mutex(start) }

    var now: Date { time.withLock { $0 } }

    func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

extension ConsumerFixture {
    /// Records that a participant signed on paper.
    func consentOnPaper(_ participant: String) async throws {
        let now = Date()
        _ = try await database.write { transaction in
            try PaperConsent(
                subject: participant, signedAt: DateTime(now, milliseconds: false),
                provenance: RecordProvenance(
                    submissionID: "paper-consent:" + participant, clientID: "site", keyID: nil, receivedAt: now)
            ).record(isRenewal: false, at: now, in: transaction)
        }
    }
}
