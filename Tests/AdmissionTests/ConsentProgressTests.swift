import FHIR
import Foundation
import InformedConsent
import RecordStorage
import Testing

@testable import Admission

/// Resources of one submission pass the gate in order.
@Suite struct ConsentProgressTests {
    private let arrival = ConsentArrival(receivedAt: Date(timeIntervalSince1970: 1_000), number: 2)

    private func progress(suspendedBy suspension: ConsentArrival? = nil) -> ConsentProgress {
        let published = PublishedStudy(templates: [], forms: [])
        let admission = StudyAdmission(
            c3pro: C3PROAcceptance(isAccepted: false), maximumResources: 10,
            validation: SubmissionValidation(strictness: .none), published: { published }, clock: { Date() })
        return ConsentProgress(ConsentState(), suspension: suspension, admission: admission, published: published)
    }

    @Test func dataWithoutAContractIsHeldAndChangesNothing() {
        var progress = progress()
        #expect(progress.admit(.data, arrival: arrival) == .hold(until: .contract))
        #expect(progress.state == ConsentState() && !progress.endsSuspension)
    }

    @Test func foreignContractIsQuarantinedAndResolvesNothing() {
        var progress = progress(suspendedBy: ConsentArrival(receivedAt: arrival.receivedAt, number: 1))
        #expect(
            progress.admit(.foreignContract(.foreignContract), arrival: arrival) == .quarantine(.foreignContract))
        #expect(!progress.endsSuspension)
    }

    private func contract() throws -> ConsentStep {
        let paper = PaperConsent(
            subject: "p1", signedAt: DateTime(Date(timeIntervalSince1970: 500)),
            provenance: RecordProvenance(
                submissionID: "s", clientID: "c", keyID: nil, receivedAt: arrival.receivedAt))
        return .contract(
            try SignedContractReader.read(
                paper.contract, receivedAt: arrival.receivedAt, number: arrival.number))
    }

    @Test func contractAdmitsTheDataAfterIt() throws {
        var progress = progress()
        #expect(try progress.admit(contract(), arrival: arrival) == .admit)
        #expect(progress.admit(.data, arrival: arrival) == .admit)
        #expect(progress.admit(.namedData(["notes"]), arrival: arrival) == .refuse(.notIncluded))
        #expect(progress.state.gateState == .consented)
    }

    @Test func onlyALaterContractEndsASuspension() throws {
        var later = progress(suspendedBy: ConsentArrival(receivedAt: arrival.receivedAt, number: 1))
        #expect(try later.admit(contract(), arrival: arrival) == .admit)
        #expect(later.endsSuspension && later.admit(.data, arrival: arrival) == .admit)
        var earlier = progress(suspendedBy: ConsentArrival(receivedAt: arrival.receivedAt, number: 3))
        #expect(try earlier.admit(contract(), arrival: arrival) == .admit)
        #expect(!earlier.endsSuspension && earlier.admit(.data, arrival: arrival) == .hold(until: .endOfSuspension))
    }
}
