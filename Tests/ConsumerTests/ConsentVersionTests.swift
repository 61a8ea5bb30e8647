import FHIR
import Foundation
import InformedConsent
import Storage
import Submissions
import Testing

@testable import Admission
@testable import Consumer

@Suite struct ConsentVersionTests {
    private typealias Fixture = ConsumerFixture

    private static func template(_ version: String, status: String, change: String) -> String {
        Fixture.contractTemplate(
            version: version, state: ["consent-status": status, "consent-change": change])
    }

    /// Three versions, with phones that signed each: the outcomes of Contract and data.
    @Test(arguments: [
        ("1", "quarantined contract-retired", "held consent-required"),
        ("2", "stored", "held consent-renewal-required"), ("3", "stored", "stored"), ("3.1", "stored", "stored"),
        ("4", "quarantined contract-unknown", "held consent-required"),
    ])
    func signedVersionDecidesAboutContractAndData(version: String, contract: String, data: String) async throws {
        let fixture = try await Fixture(templates: [
            Self.template("1", status: "retired", change: "major"),
            Self.template("2", status: "accepted", change: "minor"),
            Self.template("3", status: "accepted", change: "major"),
            Self.template("3.1", status: "current", change: "minor"),
        ])
        let client = try await fixture.client()
        func text(_ outcome: SubmissionOutcome?) -> String {
            [outcome?.status.rawValue, outcome?.reasonCode].compactMap { $0 }.joined(separator: " ")
        }
        #expect(text(try await fixture.send(Fixture.contract("p1", version: version), from: client)) == contract)
        #expect(text(try await fixture.send(Fixture.response("p1"), from: client)) == data)
        guard version == "2" else { return try await fixture.close() }
        // After the person signs the current version, the held data is stored.
        #expect(text(try await fixture.send(Fixture.contract("p1", version: "3.1"), from: client)) == "stored")
        #expect(try await fixture.queue.status(now: Date()).held == 0)
        #expect(try await fixture.versions == 3)
        try await fixture.close()
    }

    /// The study publishes a major version while phones are active.
    @Test func majorVersionHoldsDataUntilItIsSigned() async throws {
        let published = Published([Fixture.contractTemplate()])
        let fixture = try await Fixture(published: { await published.study })
        let client = try await fixture.client()
        try await fixture.send(Fixture.contract("p1", id: "c1"), from: client)
        #expect(try await fixture.send(Fixture.response("p1"), from: client)?.status == .stored)
        await published.set([Fixture.contractTemplate(), Self.template("2", status: "current", change: "major")])
        #expect(
            try await fixture.send(Fixture.response("p1", answer: 2), from: client)?.reasonCode
                == "consent-renewal-required")
        // A withdrawal needs no newer version.
        #expect(try await fixture.send(Fixture.withdrawal("p1", contract: "c1"), from: client)?.status == .stored)
        try await fixture.close()
    }

    /// A phone begins to sign with the Contract of the person's renewed consent. The held submission was accepted
    /// unsigned.
    @Test func heldUnsignedDataIsStoredAfterTheDeviceBeginsToSign() async throws {
        let published = Published([Fixture.contractTemplate()])
        let fixture = try await Fixture(published: { await published.study })
        var device = try await fixture.device()
        let (person, enrolmentID) = (device.participant, device.enrolmentID)
        try await fixture.send(Fixture.contract(person), from: enrolmentID)
        await published.set([Fixture.contractTemplate(), Self.template("2", status: "current", change: "major")])
        let waiting = UUID().uuidString.lowercased()
        let held = try await fixture.send(Fixture.response(person), from: enrolmentID, submissionID: waiting)
        #expect(held?.reasonCode == "consent-renewal-required")
        let contract = device.contract()
            .replacing("consent|1", with: "consent|2").replacing("Overview 1.", with: "Overview 2.")
        let signed = try device.seal(contract, to: fixture.recipients)
        _ = try await fixture.queue(signed, enrolmentID: enrolmentID)
        let outcomes = try await fixture.drain()
        #expect(outcomes[signed.submissionID]?.status == .stored)
        #expect(outcomes[waiting]?.status == .stored)
        // From now on unsigned submissions for the person are refused.
        let late = try await fixture.send(Fixture.response(person, answer: 2), from: enrolmentID)
        #expect(late?.reasonCode == "signature-missing")
        try await fixture.close()
    }

    /// A change in one element of the Contract: the result is not a consent.
    @Test func contractOfAnotherTextIsNotAConsent() async throws {
        let contract = Fixture.contract("p1", naming: ["routes"])
        let changes: [(String, String)] = [
            ("\"text\":\"Overview 1.\",", "\"text\":\"Overview 2.\","),
            ("\"code\":\"Overview\"", "\"code\":\"Privacy\""),
            ("\"valueCode\":\"routes\"", "\"valueCode\":\"clinical-records\""),
            (
                "\"extension\":[",
                "\"extension\":[{\"url\":\"urn:tributary:includes-health-data\",\"valueCode\":\"notes\"},"
            ),
            ("\"extension\":[", "\"extension\":[{\"url\":\"urn:tributary:consent-digest\",\"valueString\":\"00\"},"),
            ("\"status\":\"executed\"", "\"status\":\"executed\",\"title\":\"Another\""),
            ("\"status\":\"executed\"", "\"status\":\"executed\",\"language\":\"de\""),
            ("consent|1", "consent|2"), ("example.org/consent", "example.org/other"),
            ("\"text\":\"Overview 1.\"}}]", "\"text\":\"Overview 1. And more.\"}}]"),
            ("\"term\":[", "\"rule\":[{\"contentAttachment\":{\"title\":\"x\"}}],\"term\":["),
        ]
        let fixture = try await Fixture(
            strictness: .none, templates: [Fixture.contractTemplate(naming: ["routes"])])
        let client = try await fixture.client()
        for (text, changed) in changes {
            #expect(contract.contains(text), "\(text)")
            let damaged = contract.replacingOccurrences(of: text, with: changed)
            let outcome = try await fixture.send(damaged, from: client)
            #expect(outcome?.reasonCode == "contract-unknown", "\(changed)")
        }
        #expect(try await fixture.versions == 0)
        #expect(try await fixture.send(contract, from: client)?.status == .stored)
        try await fixture.close()
    }

    @Test func aContractOfC3PROCountsByItsTextAndNamesNothingByItself() async throws {
        let terms = """
            "term":[{"type":{"coding":[{"system":"http://researchkit.org/docs/Constants/ORKConsentSectionType",\
            "code":"Overview"}]},"text":"About."}]
            """
        let template = "{\"resourceType\":\"Contract\",\"issued\":\"2015-09-01\",\(terms)}"
        let fixture = try await Fixture(c3pro: C3PROAcceptance(isAccepted: true), templates: [template])
        let client = try await fixture.client()
        let bare = try await fixture.sendC3PRO(Fixture.dstu2Contract, from: client)
        #expect(bare?.reasonCode == "contract-without-terms")
        let signed = Fixture.dstu2Contract.replacingOccurrences(of: "\"signer\":", with: terms + ",\"signer\":")
        let other = try await fixture.sendC3PRO(
            signed.replacingOccurrences(of: "About.", with: "Something else."), from: client)
        #expect(other?.reasonCode == "contract-unknown")
        let naming = signed.replacingOccurrences(
            of: "\"signer\":",
            with:
                "\"extension\":[{\"url\":\"urn:tributary:includes-health-data\",\"valueCode\":\"routes\"}],\"signer\":")
        #expect(try await fixture.sendC3PRO(naming, from: client)?.reasonCode == "contract-unknown")
        #expect(try await fixture.sendC3PRO(signed, from: client)?.status == .stored)
        try await fixture.close()
    }

    @Test func aContractWithoutTermsNamesNoHealthData() async throws {
        let fixture = try await Fixture()
        let client = try await fixture.client()
        let naming = Fixture.dstu2Contract.replacingOccurrences(
            of: "\"signer\":",
            with:
                "\"extension\":[{\"url\":\"urn:tributary:includes-health-data\",\"valueCode\":\"routes\"}],\"signer\":")
        #expect(try await fixture.sendC3PRO(naming, from: client)?.status == .stored)
        let state = try await fixture.database.read { try ConsentRegister().state(of: "p1", in: $0) }
        #expect(state.gateState == .consented && state.includedHealthData == [])
        try await fixture.close()
    }
}

/// The study's files, which change while the study runs.
private actor Published {
    private(set) var study: PublishedStudy

    init(_ templates: [String]) { study = Self.study(templates) }

    func set(_ templates: [String]) { study = Self.study(templates) }

    private static func study(_ templates: [String]) -> PublishedStudy {
        PublishedStudy(
            templates: templates.compactMap { try? ConsentTemplate(Resource(Data($0.utf8))) },
            forms: [Questionnaire((try? JSON(parsing: ConsumerFixture.form))?.object ?? JSONObject())])
    }
}
