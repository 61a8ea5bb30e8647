import Core
import DeviceSystem
import Foundation
import TestSupport
import Testing
import Wire

@testable import Outbox

@Suite struct SigningTests {
    private let folder = try? TemporaryFolder()
    private let studyKey: PrivateKey

    init() throws { studyKey = try PrivateKey.generateP256() }

    private func store(study: String? = "s") throws -> DeviceStore {
        let folder = try #require(folder)
        let store = try DeviceStore.open(folder.url, secrets: FileSecrets(folder: folder.url))
        try store.save(
            Enrolment(
                baseURL: "https://study.example", clientID: "c", clientSecret: "s", antispam: "a",
                jwks: String(decoding: PublicKey.jwks([studyKey.publicKey], study: study), as: UTF8.self)))
        return store
    }

    private func signature(_ entry: OutboxEntry, in store: DeviceStore) throws -> SubmissionSignature? {
        try OpenedEnvelope.open(store.outbox.read(entry), with: KeySet([studyKey])).signature
    }

    @Test func submissionsAreSignedFromTheContractOnAndNameTheirPredecessor() throws {
        let store = try store()
        let key = try store.signingKey().publicKey
        #expect(try store.signingKey().publicKey == key)
        var previous: String?
        for kind in ["Contract", "Patient", "Observation", "Observation"] {
            let entry = try store.queue(Data("{}".utf8), kind: kind, as: .resource)
            let signature = try #require(try signature(entry, in: store))
            try signature.verify(with: key, study: "s")
            #expect(signature.previous == previous)
            #expect(signature.sequence == entry.sequence && signature.submissionID == entry.submissionID)
            previous = signature.jws.digest
            // A sent entry leaves the queue, and the chain continues.
            if kind == "Patient" { try store.outbox.moveToSent(entry) }
        }
    }

    @Test func keyIsStoredWithTheSecretsForItsOwnerOnly() throws {
        let store = try store()
        _ = try store.signingKey()
        let file = store.folder.appendingPathComponent("signing-key")
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
    }

    @Test func entriesForAnOlderServerAreUnsignedUntilTheNextContract() throws {
        let store = try store(study: nil)
        #expect(try store.deviceKey() == nil)
        let contract = try store.queue(Data("{}".utf8), kind: "Contract", as: .resource)
        #expect(try signature(contract, in: store) == nil)
        let newer = try self.store()
        // The study does not know a key of this device yet.
        #expect(try signature(newer.queue(Data("{}".utf8), kind: "Observation", as: .resource), in: newer) == nil)
        #expect(try signature(newer.queue(Data("{}".utf8), kind: "Contract", as: .resource), in: newer) != nil)
        #expect(try signature(newer.queue(Data("{}".utf8), kind: "Observation", as: .resource), in: newer) != nil)
    }

    @Test func stopBeforeWritingTheFileLeavesTheChainComplete() throws {
        let store = try store()
        let contract = try store.queue(Data("{}".utf8), kind: "Contract", as: .resource)
        let digest = try #require(try signature(contract, in: store)).jws.digest
        // The number was used, and the file never written.
        let lost = try store.queue(Data("{}".utf8), kind: "Observation", as: .resource)
        try FileManager.default.removeItem(at: store.outbox.folder.appendingPathComponent(lost.name))
        let next = try store.queue(Data("{}".utf8), kind: "Observation", as: .resource)
        #expect(next.sequence == lost.sequence + 1)
        #expect(try signature(next, in: store)?.previous == digest)
    }

    @Test func storeWithoutItsStateContinuesToSign() throws {
        let store = try store()
        try store.queue(Data("{}".utf8), kind: "Contract", as: .resource)
        try FileManager.default.removeItem(at: store.outbox.folder.appendingPathComponent(".state.json"))
        let next = try store.queue(Data("{}".utf8), kind: "Observation", as: .resource)
        #expect(try signature(next, in: store) != nil)
    }
}
