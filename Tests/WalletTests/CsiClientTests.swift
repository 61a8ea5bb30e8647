import Core
import DeviceSystem
import Foundation
import HTTPTransport
import TestSupport
import Testing
import Wire

@testable import Wallet

/// The client of a csi against a server in memory.
@Suite struct CsiClientTests {
    let folder: TemporaryFolder
    let server = ModelServer(now: WalletExamples.now)

    init() throws { folder = try TemporaryFolder() }

    private func client(_ name: String, ahead: Double = 0, address: String = "https://study.example/") throws
        -> CsiClient
    {
        try CsiClient(
            server: CsiServer(address), folder: folder.url.appendingPathComponent(name), transport: server,
            now: { WalletExamples.now.addingTimeInterval(ahead) })
    }

    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch let error as any CodedError {
            return error.code
        } catch { return "other: \(error)" }
    }

    @Test func permissionIsGivenSeenAndEnded() async throws {
        let (wallet, app) = (try client("wallet"), try client("app", ahead: 200))
        let wcsi = try await wallet.register(applicationClass: "wallet", deviceID: "d")
        let dcsi = try await app.register(applicationClass: "Steps", deviceID: "d")
        #expect(try wallet.csi() == wcsi && app.csi() == dcsi && app.deviceID() == "d")
        #expect(try await wallet.bind(code: "code") == "Patient/p1")
        #expect(try await wallet.claims(of: dcsi).applicationClass == "Steps")
        let terms = try WalletExamples.terms([dcsi])
        let ids = try await wallet.grant(terms)
        #expect(ids == ["p1"])
        let received = try await app.received()
        #expect(received.map(\.id) == ids && received.first?.version == .v2)
        #expect(try await wallet.given().map(\.id) == ids)
        #expect(try await app.token(scope: "patient/*.rs").accessToken == "token-1")
        #expect(try await wallet.end(dcsi) == 1)
        #expect(try await app.received() == [])
        #expect(try await app.received(all: true).map(\.status) == [.revoked])
        try await wallet.revoke(dcsi)
        #expect(await code { _ = try await app.received() } == "unknown_csi")
    }

    @Test func filesAreOfMode0600() async throws {
        let client = try client("app")
        _ = try await client.register(applicationClass: "Steps", deviceID: "d")
        let root = folder.url.appendingPathComponent("app")
        let names = try FileManager.default.contentsOfDirectory(atPath: root.path)
        #expect(Set(names).isSuperset(of: ["csi.json", "csi-key"]))
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: root.appendingPathComponent(name).path)
            #expect((attributes[.posixPermissions] as? Int) == 0o600, "\(name)")
        }
        // Another process continues with the same identity; a client of another server does not.
        #expect(try self.client("app").csi() == client.csi())
        #expect(try self.client("app", address: "https://other.example").csi() == nil)
    }

    @Test func clockThatIsOffIsAnError() async throws {
        for ahead in [301.0, -301] {
            let client = try client("app\(ahead)", ahead: ahead)
            #expect(await code { _ = try await client.register(applicationClass: "a", deviceID: "d") } == "clock-off")
        }
        #expect(await server.keys.isEmpty)
    }

    @Test func timeIsRequestedAgainAfterAStaleRequest() async throws {
        await server.set(now: WalletExamples.now.addingTimeInterval(200))
        let client = try client("app")
        _ = try await client.register(applicationClass: "a", deviceID: "d")
        _ = try await client.received()
        #expect(await server.log.count { $0.hasSuffix("/util/getTime") } == 1)
        // The clock of the device was set.
        await server.set(now: WalletExamples.now.addingTimeInterval(-200))
        _ = try await client.received()
        #expect(await server.log.count { $0.hasSuffix("/util/getTime") } == 2)
        await server.set(now: WalletExamples.now.addingTimeInterval(200))
        #expect(try await client.token().accessToken == "token-1")
        #expect(await server.log.count { $0.hasSuffix("/util/getTime") } == 3)
        await server.set(now: WalletExamples.now.addingTimeInterval(-700))
        #expect(await code { _ = try await client.received() } == "clock-off")
    }

    @Test(arguments: [ModelServer.Loss.request, .answer])
    func lostRegistrationIsCompleted(loss: ModelServer.Loss) async throws {
        let client = try client("app")
        await server.lose(loss, at: CsiPath.requestRegistration.rawValue)
        #expect(
            await code { _ = try await client.register(applicationClass: "a", deviceID: "d") } == "connection-failed")
        #expect(try client.csi() == nil)
        #expect(await code { _ = try await client.received() } == "not-registered")
        let again = try self.client("app")
        let csi = try await again.register(applicationClass: "a", deviceID: "d")
        #expect(await Array(server.keys.keys) == [csi], "there is one csi")
        #expect(try await again.received() == [])
        #expect(try await again.register(applicationClass: "a", deviceID: "d") == csi)
        #expect(
            await code { _ = try await again.register(applicationClass: "a", deviceID: "e") } == "registered-already")
    }

    @Test(arguments: [ModelServer.Loss.request, .answer, nil])
    func newKeyIsUsedAfterALostAnswer(loss: ModelServer.Loss?) async throws {
        let client = try client("app")
        let csi = try await client.register(applicationClass: "a", deviceID: "d")
        let first = await server.keys[csi]
        if let loss {
            await server.lose(loss, at: CsiPath.rotateKey.rawValue)
            #expect(await code { try await client.rotateKey() } == "connection-failed")
        } else {
            try await client.rotateKey()
        }
        #expect(await (server.keys[csi] == first) == (loss == .request))
        // Another process, which knows only the files.
        let again = try self.client("app")
        #expect(try await again.token().accessToken == "token-1")
        #expect(try await again.received() == [])
        try await again.rotateKey()
        #expect(try await again.received() == [])
        #expect(await server.keys[csi] != first)
    }

    @Test func answersOfOthersAreRefused() async throws {
        let client = try client("app")
        _ = try await client.register(applicationClass: "a", deviceID: "d")
        let path = CsiPath.fetchGivenToMe.rawValue
        for (response, expected) in [
            (TransportResponse(status: 200, body: Data("<html>".utf8)), "answer-invalid"),
            (TransportResponse(status: 200, body: Data("{}".utf8)), "answer-invalid"),
            (TransportResponse(status: 302), "answer-invalid"), (TransportResponse(status: 502), "answer-invalid"),
            (
                TransportResponse(
                    status: 429, headers: ["Retry-After": "7"],
                    body: PermissionError(.tooManyRequests, "Later.").json(requestID: "r").data()), "too_many_requests"
            ),
            (
                TransportResponse(status: 403, body: PermissionError(.legacyOff, "No.").json(requestID: "r").data()),
                "legacy_off"
            ),
        ] {
            await server.answer(path, with: response)
            #expect(await code { _ = try await client.received() } == expected)
        }
        do {
            _ = try await client.given()
            await server.answer(
                "/oauth2/token", with: TransportResponse(status: 400, body: Data(#"{"error":"invalid_scope"}"#.utf8)))
            _ = try await client.token()
        } catch let error as WalletError {
            #expect(error.refusal == .invalidScope && error.status == 400 && error.reason == nil)
        }
    }

    @Test(arguments: [
        "", "study.example", "http://study.example", "ftp://study.example", "https://", "https://u@study.example",
        "https://study.example/?a=b", "https://study.example/#a", "javascript:alert(1)",
    ])
    func addressesThatAreNoServersAreRefused(address: String) {
        #expect(throws: WalletError(.urlInvalid)) { try CsiServer(address) }
    }

    @Test func addressesOfServersAreRead() throws {
        #expect(try CsiServer("http://127.0.0.1:8080/").tokenURL == "http://127.0.0.1:8080/oauth2/token")
        #expect(try CsiServer("https://study.example/base").url("/util/ping").path == "/base/util/ping")
    }

    @Test func damagedFileIsAnError() async throws {
        let client = try client("app")
        _ = try await client.register(applicationClass: "a", deviceID: "d")
        let root = folder.url.appendingPathComponent("app")
        try Data("x".utf8).write(to: root.appendingPathComponent("csi-key"))
        #expect(await code { _ = try await client.received() } == "store-damaged")
        try Data("{}".utf8).write(to: root.appendingPathComponent("csi.json"))
        #expect(await code { _ = try await client.received() } == "store-damaged")
        try await client.forget()
        #expect(try client.csi() == nil)
        _ = try await client.register(applicationClass: "a", deviceID: "d")
    }
}
