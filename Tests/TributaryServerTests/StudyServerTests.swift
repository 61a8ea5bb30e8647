import FHIR
import Foundation
import Logging
import Storage
import StudyFiles
import StudyOperations
import TestSupport
import Testing
import TributaryServer
import Wire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct StudyServerTests {
    /// Runs a server of a new study during the body.
    private func withServer(
        roles: Set<ServerOptions.Role> = Set(ServerOptions.Role.allCases),
        prepare: (StudyFolder) throws -> Void = { _ in },
        _ body: (StudyFolder, String) async throws -> Void
    ) async throws {
        let temporary = try TemporaryFolder()
        defer { temporary.remove() }
        let root = temporary.url.appendingPathComponent("study")
        let folder = StudyFolder(path: root.path)
        try folder.make(
            StudyConfiguration(id: "s", title: "S", bundleIdentifier: "org.example.study"), antispam: "a-secret-word",
            now: Date())
        try prepare(folder)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let server = try StudyServer(folder: folder, options: ServerOptions(port: 0, roles: roles), logger: logger)
        let (stop, stopping) = AsyncStream<Void>.makeStream()
        let (ports, port) = AsyncStream<Int>.makeStream()
        let serving = _Concurrency.Task {
            defer { port.finish() }
            try await server.run(until: stop) { port.yield($0) }
        }
        var iterator = ports.makeAsyncIterator()
        let number = try #require(await iterator.next())
        try await body(folder, "http://127.0.0.1:\(number)")
        stopping.finish()
        try await serving.value
    }

    private func get(_ url: String) async throws -> (Int, Data) {
        let (data, response) = try await URLSession.shared.data(from: try #require(URL(string: url)))
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, data)
    }

    @Test func aReceiverNeedsNoPrivateKey() async throws {
        let withoutKeys: (StudyFolder) throws -> Void = { try FileManager.default.removeItem(at: $0.keys.url) }
        try await withServer(roles: [.receiver], prepare: withoutKeys) { _, url in
            let (status, data) = try await get(url + "/.well-known/jwks.json")
            #expect(status == 200)
            #expect(try PublicKey.read(from: data).count == 2)
            #expect(try await get(url + "/fhir/metadata").0 != 200)
        }
    }

    @Test func rotatedKeysAreServedWithoutARestart() async throws {
        try await withServer { folder, url in
            let before = try PublicKey.read(from: try await get(url + "/.well-known/jwks.json").1)
            _ = try folder.keys.generate(now: Date().addingTimeInterval(1))
            let after = try PublicKey.read(from: try await get(url + "/.well-known/jwks.json").1)
            #expect(Set(before.map(\.keyID)).isDisjoint(with: after.map(\.keyID)))
        }
    }

    @Test func fhirAPIIsServedTogetherWithTheReceiver() async throws {
        try await withServer { _, url in
            let (status, data) = try await get(url + "/fhir/metadata")
            #expect(status == 200)
            #expect(try JSON(data)["resourceType"] == "CapabilityStatement")
            #expect(try await get(url + "/fhir/Observation").0 == 401)
            #expect(try await get(url + "/fhir/Questionnaire/x").0 == 401)
        }
    }
}
