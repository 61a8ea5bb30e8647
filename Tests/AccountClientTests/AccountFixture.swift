import AccountClient
import Core
import DeviceSystem
import Foundation
import HTTPTransport
import ResearchResults
import Synchronization
import TestSupport

/// A phone with a folder, and the model of a server.
struct AccountFixture {
    let clock = TestClock()
    let model: ModelAccounts
    let folder: TemporaryFolder

    init() throws {
        model = ModelAccounts(clock)
        folder = try TemporaryFolder()
    }

    static var server: AccountServer {
        get throws { try AccountServer("https://study.example", antispam: "blue") }
    }

    /// The folder of a phone.
    func store(_ name: String = "phone") -> URL { folder.url.appendingPathComponent(name, isDirectory: true) }

    /// Opens the client of a phone, as after a start of the app.
    func client(
        _ name: String = "phone", files: any DurableFiles = PosixFiles(), limits: AccountLimits = AccountLimits()
    ) throws -> AccountClient {
        let clock = clock
        return try AccountClient(
            server: Self.server, folder: store(name), transport: model, files: files, limits: limits,
            now: { clock.now })
    }

    /// Opens a client whose account is signed up.
    func member(_ email: String = "ann@example.org", on name: String = "phone") async throws -> AccountClient {
        let client = try client(name)
        try await client.signUp(email: email, password: "good password")
        _ = await model.takeLines()
        return client
    }

    /// The contents of all files of a phone.
    func contents(_ name: String = "phone") throws -> String {
        let names = try FileManager.default.subpathsOfDirectory(atPath: store(name).path)
        return names.sorted().map { path in
            let content = try? Data(contentsOf: store(name).appendingPathComponent(path))
            return "\(path): \(String(decoding: content ?? Data(), as: UTF8.self))"
        }.joined(separator: "\n")
    }

    static let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3])
    static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 9])
    static let pdf = Data("%PDF-1.7 test".utf8)

    /// A task result with a registration, nested.
    static func registration(email: String = "ann@example.org") -> JSON {
        func item(_ name: String, member: String, value: JSON) -> JSON {
            ["_class": "ORKTextQuestionResult", "identifier": .string("ORKRegistrationFormItem\(name)"), member: value]
        }
        let step: JSON = [
            "_class": "ORKStepResult", "identifier": "registration",
            "results": .array([
                item("Email", member: "textAnswer", value: .string(email)),
                item("Password", member: "textAnswer", value: "good password"),
                item("GivenName", member: "textAnswer", value: "Ann"),
                item("FamilyName", member: "textAnswer", value: "Roe"),
                item("Gender", member: "choiceAnswers", value: ["female"]),
                item("DOB", member: "dateAnswer", value: "1980-02-29T00:00:00+0000"),
            ]),
        ]
        let inner: JSON = ["_class": "ORKCollectionResult", "identifier": "inner", "results": .array([step])]
        return ["_class": "ORKTaskResult", "identifier": "onboarding", "results": .array([inner])]
    }

    /// A task result with the signature of a consent.
    static func consent(consented: Bool = true) -> JSON {
        [
            "_class": "ORKTaskResult", "identifier": "consent",
            "results": [
                [
                    "_class": "ORKStepResult", "identifier": "review",
                    "results": [
                        [
                            "_class": "ORKConsentSignatureResult", "identifier": "signature",
                            "consented": .bool(consented),
                            "signature": ["givenName": "Ann", "familyName": "Roe", "signatureDate": "29/11/26"],
                        ]
                    ],
                ]
            ],
        ]
    }

    /// A result that can be saved.
    static func result(
        _ number: Int, identifier: String = "mood", answer: Int = 5, descriptor: String? = nil
    ) throws -> ResearchResult {
        let uuid = UUID((1, UInt64(number))).lowercaseText
        return try ResearchResult(
            json: [
                "_class": "ORKTaskResult", "identifier": .string(identifier), "taskRunUUID": .string(uuid),
                "startDate": .string("2026-11-\(10 + number)T08:00:00+0000"),
                "results": [["_class": "ORKScaleQuestionResult", "scaleAnswer": .number(JSONNumber(answer))]],
            ], descriptor: descriptor)
    }
}

/// Returns the error that the body throws; nil for none.
func thrown(_ body: () async throws -> Void) async -> (any Error)? {
    do {
        try await body()
        return nil
    } catch { return error }
}

/// Returns CMHealth's number of the error that the body throws; nil for none.
func number(_ body: () async throws -> Void) async -> Int? {
    (await thrown(body) as? any CMHealthCoded)?.cmhealth.number
}

/// The system's files, which fail from an operation on, as if the process had ended.
final class StoppingFiles: DurableFiles {
    private let inner = PosixFiles()
    private let left = Mutex<Int?>(nil)
    private let counter = Mutex(0)

    /// Fails all operations after this number of changes; nil for none.
    func stop(after number: Int?) {
        left.withLock { $0 = number }
        counter.withLock { $0 = 0 }
    }

    /// The number of changes since the last call of ``stop(after:)``.
    var changes: Int { counter.withLock { $0 } }

    private func change() throws(DeviceStorageError) {
        let isAllowed = left.withLock { left in
            guard let number = left else { return true }
            left = max(0, number - 1)
            return number > 0
        }
        guard isAllowed else { throw DeviceStorageError(.storageFull, "stopped") }
        counter.withLock { $0 += 1 }
    }

    func names(in folder: URL) throws(DeviceStorageError) -> [String] { try inner.names(in: folder) }
    func read(_ file: URL) throws(DeviceStorageError) -> Data { try inner.read(file) }
    func size(of file: URL) throws(DeviceStorageError) -> Int64 { try inner.size(of: file) }
    func create(_ file: URL, holding content: Data) throws(DeviceStorageError) {
        try change()
        try inner.create(file, holding: content)
    }
    func sync(_ file: URL) throws(DeviceStorageError) { try inner.sync(file) }
    func move(_ file: URL, to target: URL) throws(DeviceStorageError) {
        try change()
        try inner.move(file, to: target)
    }
    func remove(_ file: URL) throws(DeviceStorageError) {
        try change()
        try inner.remove(file)
    }
    func syncFolder(_ folder: URL) throws(DeviceStorageError) { try inner.syncFolder(folder) }
    func makeFolder(_ folder: URL) throws(DeviceStorageError) { try inner.makeFolder(folder) }
    func lock(_ file: URL, patience: Double) throws(DeviceStorageError) -> FileLock {
        try inner.lock(file, patience: patience)
    }
}
