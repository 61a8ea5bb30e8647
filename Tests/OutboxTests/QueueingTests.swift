import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Outbox

/// A resource with the members of its JSON object.
struct PlainResource: ResourceContent {
    var object: JSONObject
    var resourceType: String { object["resourceType"]?.string ?? "" }

    init(_ type: String, _ id: String = "1") {
        object = JSONObject()
        object["resourceType"] = .string(type)
        object["id"] = .string(id)
    }
}

@Suite struct QueueingTests {
    /// A store with the key that opens its sealed envelopes.
    private struct Device {
        let folder: TemporaryFolder
        let store: DeviceStore
        let key: PrivateKey

        init() throws {
            folder = try TemporaryFolder()
            store = try DeviceStore.open(folder.url)
            key = try PrivateKey.generateP256()
            try store.save(
                Enrolment(
                    baseURL: "https://study.example", clientID: "c", clientSecret: "s", antispam: "w",
                    jwks: String(decoding: PublicKey.jwks([key.publicKey]), as: UTF8.self)))
        }

        func opened(_ entry: OutboxEntry) throws -> OpenedEnvelope {
            try OpenedEnvelope.open(store.outbox.read(entry), with: KeySet([key]))
        }
    }

    @Test func aResourceIsSealedAndQueuedInOneCall() throws {
        let device = try Device()
        var contract = PlainResource("Contract")
        contract.object["x-unknown"] = .number(JSONNumber(text: "1.50")!)
        let entry = try device.store.queue(contract)
        #expect(entry.isContract && entry.sequence == 1 && entry.kind == "Contract")
        #expect(try device.store.outbox.entries() == [entry])
        let opened = try device.opened(entry)
        #expect(
            String(decoding: opened.payload, as: UTF8.self) == #"{"resourceType":"Contract","id":"1","x-unknown":1.50}"#
        )
        #expect(opened.contentType == .resource && opened.submissionID == entry.submissionID && opened.sequence == 1)
        #expect(opened.fhirVersion == "4.0.1")
    }

    @Test func validLinkIsQueuedAfterTheContract() throws {
        let device = try Device()
        let token = LinkToken(random: [UInt8](repeating: 3, count: 32), study: "s", now: Date())
        let scanned = try token.signed(with: P256SigningKey())
        #expect(code { try device.store.queue(link: scanned) } == "consent-required")
        try device.store.queue(PlainResource("Contract"))
        for damaged in [Data(), scanned.dropLast(2), Data("https://study.example".utf8)] {
            let refused = #expect(throws: WireError.self) { try device.store.queue(link: damaged) }
            #expect(refused?.code == "link-invalid")
        }
        #expect(try device.store.outbox.entries().count == 1)
        let opened = try device.opened(device.store.queue(link: scanned))
        #expect(opened.contentType == .link && opened.payload == scanned)
    }

    @Test func queueingRequiresTheContractFirst() throws {
        let device = try Device()
        #expect(code { try device.store.queue(PlainResource("Observation")) } == "consent-required")
        #expect(code { try device.store.queue([PlainResource("Observation")]) } == "consent-required")
        #expect(try device.store.outbox.entries().isEmpty)
        try device.store.queue(PlainResource("Contract"))
        try device.store.queue(PlainResource("Observation"))
        #expect(try device.store.outbox.entries().map(\.kind) == ["Contract", "Observation"])
    }

    @Test func resourcesOfOneTypeAreOneSubmission() throws {
        let device = try Device()
        try device.store.queue(PlainResource("Contract"))
        let entry = try device.store.queue(["a", "b"].map { PlainResource("Observation", $0) })
        let opened = try device.opened(entry)
        #expect(opened.contentType == .batch && entry.kind == "Observation")
        let lines = String(decoding: opened.payload, as: UTF8.self).split(separator: "\n")
        #expect(lines == [#"{"resourceType":"Observation","id":"a"}"#, #"{"resourceType":"Observation","id":"b"}"#])
        #expect(code { try device.store.queue([PlainResource]()) } == "kind-invalid")
        #expect(
            code { try device.store.queue([PlainResource("Observation"), PlainResource("Patient")]) } == "kind-invalid")
    }

    @Test(arguments: ["", "../Contract", "Contract 1", "Observation\n"])
    func resourceWithoutAValidTypeIsRefused(type: String) throws {
        let device = try Device()
        try device.store.queue(PlainResource("Contract"))
        #expect(code { try device.store.queue(PlainResource(type)) } == "kind-invalid")
    }

    @Test func aStoreThatIsNotEnrolledQueuesNothing() throws {
        let folder = try TemporaryFolder()
        let store = try DeviceStore.open(folder.url)
        #expect(code { try store.queue(PlainResource("Contract")) } == "not-enrolled")
    }
}
