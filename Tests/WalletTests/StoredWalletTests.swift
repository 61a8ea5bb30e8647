import Core
import DeviceSystem
import Foundation
import HTTPTransport
import TestSupport
import Testing
import Wire

@testable import Wallet

/// Wallet and app in folders, which exchange URLs only, against a server in memory.
@Suite struct StoredWalletTests {
    let root: TemporaryFolder
    let server = ModelServer(now: WalletExamples.now)

    init() throws { root = try TemporaryFolder() }

    private func folder(_ name: String) -> URL { root.url.appendingPathComponent(name) }

    private func client(_ name: String, address: String = "https://study.example") throws -> CsiClient {
        try CsiClient(
            server: CsiServer(address), folder: folder(name), transport: server, now: { WalletExamples.now })
    }

    /// Opened for each call, as a process of the command line does.
    private func wallet(_ name: String = "wallet") throws -> StoredWallet { StoredWallet(client: try client(name)) }
    private func app(_ name: String = "app") throws -> StoredApp { StoredApp(client: try client(name)) }

    private func description(_ scope: String? = "patient/Observation.write sens/ETH conf/R") throws
        -> StoredApp.Description
    {
        let wanted = try scope.map { try PermissionScope(requested: $0) }
        return StoredApp.Description(name: "Steps", scheme: WalletExamples.scheme, scope: wanted)
    }

    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch let error as any CodedError {
            return error.code
        } catch { return "other: \(error)" }
    }

    private func answer(_ reply: StoredWallet.Reply) throws -> String {
        guard case .answer(let url?) = reply else { throw ModelServer.Fault() }
        return url
    }

    private func requested(_ reply: StoredWallet.Reply) throws -> WalletState.App {
        guard case .request(let app) = reply else { throw ModelServer.Fault() }
        return app
    }

    /// Wallet and app up to the request, by URLs.
    private func introduced() async throws -> CsiGuid {
        let registration = try await wallet().register(code: "code")
        #expect(registration.csi != nil && registration.open == nil)
        let introduction = try await app().register(description())
        #expect(introduction.csi == nil && introduction.deviceID == nil)
        let answer = try answer(await wallet().open(#require(introduction.open)))
        let report = try await app().open(answer)
        #expect(report.phase == .asked && report.permissions == [])
        let asking = try requested(await wallet().open(#require(report.open)))
        let stored = try client("app").csi()
        #expect(asking.name == "Steps" && asking.csi == stored)
        #expect(try client("app").deviceID() == registration.deviceID)
        return asking.csi
    }

    @Test func appGetsAndLosesAPermissionByURLs() async throws {
        let dcsi = try await introduced()
        #expect(await server.permissions.isEmpty, "messages grant nothing")
        let decision = try await wallet().grant(PermissionChoice(), to: dcsi)
        let stored = try #require(await server.permissions.first)
        #expect(stored.id == decision.permission && stored.grantees == [dcsi])
        #expect(stored.scope.requestText == "patient/Observation.write sens/ETH conf/R")
        #expect(stored.end.date.timeIntervalSince(stored.start.date) == 30 * 86_400)
        var report = try await app().open(#require(decision.answer))
        #expect(report.phase == .granted && report.permissions.map(\.id) == [decision.permission])
        #expect(try await app().token().accessToken == "token-1")
        #expect(try await wallet().apps().map(\.phase) == [.granted])
        let ending = try await wallet().revoke(decision.permission)
        #expect(ending.revoked == 1)
        report = try await app().open(#require(ending.answer))
        #expect(report.phase == .withdrawn && report.permissions == [])
        #expect(try await wallet().given() == [])
        #expect(try await wallet().given(all: true).map(\.status) == [.revoked])
        let again = try await wallet().revoke(dcsi.text)
        #expect(again == StoredWallet.Ending(revoked: 0, answer: nil))
        #expect(await code { _ = try await wallet().revoke("p99") } == "no-permission")
    }

    @Test func messageOfAnEndWaitsForTheLastPermission() async throws {
        let dcsi = try await introduced()
        let first = try await wallet().grant(PermissionChoice(), to: dcsi)
        var narrow = PermissionChoice()
        narrow.access = .read
        narrow.types = .listed(["Patient"])
        narrow.confidentiality = "N"
        narrow.sensitivities = []
        narrow.start = WalletExamples.now.addingTimeInterval(60)
        narrow.end = WalletExamples.now.addingTimeInterval(3_600)
        _ = try await wallet().grant(narrow, to: dcsi)
        let second = try #require(await server.permissions.last)
        #expect(second.scope.requestText == "patient/Patient.read conf/N")
        #expect(second.end.date == WalletExamples.now.addingTimeInterval(3_600))
        #expect(try await wallet().revoke(first.permission) == StoredWallet.Ending(revoked: 1, answer: nil))
        #expect(try await wallet().revoke(dcsi.text).answer != nil)
    }

    @Test func rejectionIsAnsweredAndOneRequestIsRejectedOnce() async throws {
        let dcsi = try await introduced()
        let answer = try #require(try await wallet().reject(dcsi))
        #expect(try await app().open(answer).phase == .rejected)
        #expect(await code { _ = try await wallet().reject(dcsi) } == "no-request")
        // The app asks again.
        let registration = try await app().register(description(nil))
        #expect(registration.csi == dcsi)
        #expect(try requested(await wallet().open(#require(registration.open))).request?.scope == nil)
        let decision = try await wallet().grant(PermissionChoice(), to: dcsi)
        #expect(await server.permissions.last?.scope.requestText == "patient/*.read conf/N")
        #expect(try await app().open(#require(decision.answer)).phase == .granted)
    }

    /// P05: the server decides.
    @Test func forgedMessagesChangeNothing() async throws {
        let dcsi = try await introduced()
        let files = try content("app")
        for url in [
            "mHealthDApp://?dpermissionshared=true", "mHealthDApp://?apppermissionshared=false",
            "mHealthDApp://?UniqueIdentifier=attacker&wcsi=\(WalletExamples.other)",
        ] {
            let report = try await app().open(url)
            #expect(report.phase == .asked && report.permissions == [] && report.open == nil)
        }
        #expect(try content("app") == files)
        for url in ["other://?dpermissionshared=true", "https://study.example/", "", "mHealthDApp://?x=y"] {
            #expect(await code { _ = try await app().open(url) } == "message-invalid")
        }
        for url in ["FBlocksCSA://?scheme=https", "FBlocksCSA://?dcsi=1", "mHealthDApp://?scheme=a", ""] {
            #expect(await code { _ = try await wallet().open(url) } == "message-invalid")
        }
        #expect(try await wallet().apps().map(\.csi) == [dcsi])
    }

    private func content(_ name: String) throws -> Data {
        try Data(contentsOf: folder(name).appendingPathComponent("state.json"))
    }

    @Test func permissionIsPassedOnWithinTheParent() async throws {
        let dcsi = try await introduced()
        #expect(await code { _ = try await app().grant(PermissionChoice(), to: WalletExamples.other) } == "no-parent")
        var wide = PermissionChoice()
        wide.access = .write
        wide.types = .all
        wide.end = WalletExamples.now.addingTimeInterval(86_400)
        for choice in [PermissionChoice(), wide] { _ = try await wallet().grant(choice, to: dcsi) }
        let id = try await app().grant(PermissionChoice(), to: WalletExamples.other)
        let passed = try #require(await server.permissions.last)
        // The first permission does not cover all types, so the second one is the parent.
        #expect(passed.id == id && passed.grantor == dcsi && passed.grantees == [WalletExamples.other])
        #expect(passed.end.date == WalletExamples.now.addingTimeInterval(86_400))
        #expect(passed.scope.requestText == "patient/*.read conf/N")
        #expect(try await app().given().map(\.id) == [id])
        #expect(await server.parents == ["p2"])
    }

    @Test func endedCsiIsRegisteredAgain() async throws {
        let dcsi = try await introduced()
        let wcsi = try #require(try client("wallet").csi())
        let deviceID = try client("wallet").deviceID()
        await server.forget(dcsi)
        await server.forget(wcsi)
        #expect(await code { _ = try await wallet().given() } == "unknown_csi")
        #expect(await code { _ = try await wallet().given() } == "not-registered")
        let report = try await app().open("mHealthDApp://?apppermissionshared=false")
        #expect(report.phase == .registrationNeeded)
        let registration = try await wallet().register()
        #expect(registration.csi != wcsi && registration.deviceID == deviceID)
        let again = try await app().register(description(), deviceID: deviceID)
        #expect(again.csi != dcsi && again.open != nil)
        #expect(try requested(await wallet().open(#require(again.open))).csi == again.csi)
    }

    @Test(arguments: [ModelServer.Loss.request, .answer])
    func lostAnswersAreRepeated(loss: ModelServer.Loss) async throws {
        let path = CsiPath.requestRegistration.rawValue
        await server.lose(loss, at: path)
        #expect(await code { _ = try await wallet().register(code: "code") } == "connection-failed")
        let deviceID = try await wallet().register(code: "code").deviceID
        let introduction = try #require(try await app().register(description()).open)
        let answer = try answer(await wallet().open(introduction))
        await server.lose(loss, at: path)
        #expect(await code { _ = try await app().open(answer) } == "connection-failed")
        #expect(try await app().open(answer).phase == .asked)
        #expect(try client("app").deviceID() == deviceID)
        #expect(await server.keys.count == 2)
    }

    @Test func folderBelongsToOneServerAndOneRole() async throws {
        _ = try await introduced()
        #expect(try CsiServer.stored(in: folder("wallet")) == CsiServer("https://study.example"))
        #expect(try CsiServer.stored(in: folder("absent")) == nil)
        #expect(!FileManager.default.fileExists(atPath: folder("absent").path))
        let other = StoredWallet(client: try client("wallet", address: "https://other.example"))
        #expect(await code { _ = try await other.register() } == "registered-already")
        #expect(await code { _ = try await wallet("app").given() } == "store-damaged")
        #expect(await code { _ = try await app("wallet").given() } == "store-damaged")
        #expect(await code { _ = try await app().register(description(), deviceID: "d2") } == "registered-already")
        let attributes = try FileManager.default.attributesOfItem(
            atPath: folder("wallet").appendingPathComponent("state.json").path)
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
    }

    @Test func walletAnswersAnEarlyMessageAfterItsRegistration() async throws {
        #expect(await code { _ = try await wallet().open("FBlocksCSA://?scheme=mHealthDApp") } == "not-registered")
        await server.lose(.request, at: CsiPath.requestRegistration.rawValue)
        #expect(await code { _ = try await wallet().register() } == "connection-failed")
        #expect(try await wallet().open("FBlocksCSA://?scheme=mHealthDApp") == .answer(nil))
        let open = try #require(try await wallet().register().open)
        #expect(open.hasPrefix("mHealthDApp://?UniqueIdentifier="))
    }

    @Test func writtenClaimsAreRead() throws {
        let claims = try PublicClaims(written: ["FirstName": "Ann", "Gender": "female"])
        #expect(claims == PublicClaims(firstName: "Ann", gender: "female"))
        #expect(try PublicClaims(written: claims.json) == claims)
        #expect(throws: PermissionError.self) { try PublicClaims(written: ["Name": "Ann"]) }
        #expect(throws: PermissionError.self) { try PublicClaims(written: ["FirstName": "A|B"]) }
    }
}
