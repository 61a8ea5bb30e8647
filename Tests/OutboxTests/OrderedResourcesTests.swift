import Core
import DeviceSystem
import FHIR
import Foundation
import InformedConsent
import TestSupport
import Testing
import Wire

@testable import Outbox

/// A signed consent is queued as its Contract and its Patient, once.
@Suite struct OrderedResourcesTests {
    private struct Device {
        let folder: TemporaryFolder
        let store: DeviceStore
        let key: PrivateKey

        init(files: any DurableFiles = PosixFiles(), study: String? = "s") throws {
            folder = try TemporaryFolder()
            store = try DeviceStore.open(folder.url, files: files, secrets: FileSecrets(folder: folder.url))
            key = try PrivateKey.generateP256()
            try store.save(
                Enrolment(
                    baseURL: "https://study.example", clientID: "c", clientSecret: "s", antispam: "w",
                    jwks: String(decoding: PublicKey.jwks([key.publicKey], study: study), as: UTF8.self)))
        }

        func payload(_ entry: OutboxEntry) throws -> JSON {
            try JSON(OpenedEnvelope.open(store.outbox.read(entry), with: KeySet([key])).payload)
        }
    }

    private static func consent() throws -> ConsentSession {
        let text = """
            {"resourceType":"Contract","id":"t","url":"https://study.example/Contract/c","version":"2",
             "status":"executable","title":"A study","subject":[{"reference":"#e"}],
             "authority":[{"reference":"#o"}],
             "contained":[{"resourceType":"Organization","id":"o","name":"Research team"},
              {"resourceType":"Group","id":"e","type":"person","actual":false,"characteristic":[
               {"code":{"text":"Are you 18 or older?"},"valueBoolean":true,"exclude":false}]}],
             "term":[{"type":{"coding":[{"system":"\(ConsentVocabulary.sectionType)","code":"Overview"}]},"text":"Words"}]}
            """
        return ConsentSession(
            template: try ConsentTemplate(Resource(Array(text.utf8))),
            answers: ConsentAnswers(eligibility: ["Are you 18 or older?": true], sharing: true))
    }

    @Test func contractIsQueuedBeforeThePatient() throws {
        let device = try Device()
        let signed = try device.store.sign(Self.consent(), as: "Ann Example")
        let entries = try device.store.queue(signed)
        #expect(entries.map(\.kind) == ["Contract", "Patient"] && entries.map(\.sequence) == [1, 2])
        #expect(try device.store.outbox.entries() == entries)
        #expect(try entries.map(device.payload) == [signed.contract.json, signed.patient.json])
    }

    @Test func repetitionQueuesNothingTwice() throws {
        let device = try Device()
        let signed = try device.store.sign(Self.consent(), as: "Ann Example")
        let entries = try device.store.queue(signed)
        #expect(try device.store.queue(signed) == entries)
        try device.store.outbox.moveToSent(entries[0])
        #expect(try device.store.queue(signed) == entries)
        #expect(try device.store.outbox.entries().map(\.kind) == ["Patient"])
        // Another signing has other ids.
        let other = try device.store.sign(Self.consent(), as: "Ann Example")
        #expect(try device.store.queue(other).map(\.sequence) == [3, 4])
    }

    @Test func failureOfThePatientIsRepeatedWithoutASecondContract() throws {
        let files = FailingFiles()
        let device = try Device(files: files)
        let signed = try device.store.sign(Self.consent(), as: "Ann Example")
        files.fail(at: ".Patient.")
        #expect(code { try device.store.queue(signed) } == "storage-full")
        #expect(try device.store.outbox.entries().map(\.kind) == ["Contract"])
        files.fail(at: nil)
        let entries = try device.store.queue(signed)
        #expect(try device.store.outbox.entries() == entries && entries.map(\.kind) == ["Contract", "Patient"])
        // The ids of the submissions are not derived from the contents alone.
        let other = try Device()
        #expect(try other.store.queue(signed).map(\.submissionID) != entries.map(\.submissionID))
    }

    @Test func refusedContractIsNotQueuedAgain() throws {
        let device = try Device()
        let signed = try device.store.sign(Self.consent(), as: "Ann Example")
        let entries = try device.store.queue(signed)
        try device.store.outbox.moveToRefused(entries[0], because: Refusal(status: 422, code: "x", at: .now))
        #expect(code { try device.store.queue(signed) } == "request-refused")
        #expect(try device.store.outbox.entries().map(\.kind) == ["Patient"])
    }

    @Test func concurrentCallsQueueOnce() async throws {
        let device = try Device()
        let signed = try device.store.sign(Self.consent(), as: "Ann Example")
        let store = device.store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try store.queue(signed) } }
            try await group.waitForAll()
        }
        #expect(try store.outbox.entries().map(\.kind).sorted() == ["Contract", "Patient"])
        withExtendedLifetime(device) {}
    }

    @Test func signingTakesTheDevicesKeyAndFurtherFacts() throws {
        let device = try Device()
        let time: DateTime = "2026-03-01T09:00:00+05:45"
        let signed = try device.store.sign(Self.consent(), as: "Ann Example", at: time) { $0.participant = "p7" }
        let key = try #require(try device.store.deviceKey())
        let text = signed.contract.json.text()
        let x = try #require(JSON(parsing: key)["x"]?.string)
        #expect(text.contains(x) && !text.contains("Ann Example") && signed.participant == "p7")
        #expect(text.contains("+05:45"))
        #expect(throws: ConsentError.nameMissing) { try device.store.sign(Self.consent(), as: " ") }
        // An older server has no identifier of its study, so the device does not sign.
        let unsigned = try Device(study: nil)
        #expect(try unsigned.store.deviceKey() == nil)
        #expect(try !unsigned.store.sign(Self.consent(), as: "Ann Example").contract.json.text().contains(x))
    }
}

/// The system's files, of which one kind cannot be written.
private final class FailingFiles: DurableFiles, @unchecked Sendable {
    private let files = PosixFiles()
    private let guardian = NSLock()
    private var failing: String?

    func fail(at part: String?) { guardian.withLock { failing = part } }

    func move(_ file: URL, to target: URL) throws(DeviceStorageError) {
        let isFailing = guardian.withLock { failing.map { target.lastPathComponent.contains($0) } ?? false }
        if isFailing { throw DeviceStorageError(.storageFull, "The disk is full.") }
        try files.move(file, to: target)
    }

    func create(_ file: URL, holding content: Data) throws(DeviceStorageError) {
        try files.create(file, holding: content)
    }

    func names(in folder: URL) throws(DeviceStorageError) -> [String] { try files.names(in: folder) }
    func read(_ file: URL) throws(DeviceStorageError) -> Data { try files.read(file) }
    func size(of file: URL) throws(DeviceStorageError) -> Int64 { try files.size(of: file) }
    func sync(_ file: URL) throws(DeviceStorageError) { try files.sync(file) }
    func remove(_ file: URL) throws(DeviceStorageError) { try files.remove(file) }
    func syncFolder(_ folder: URL) throws(DeviceStorageError) { try files.syncFolder(folder) }
    func makeFolder(_ folder: URL) throws(DeviceStorageError) { try files.makeFolder(folder) }
    func lock(_ file: URL, patience: Double) throws(DeviceStorageError) -> FileLock {
        try files.lock(file, patience: patience)
    }
}
