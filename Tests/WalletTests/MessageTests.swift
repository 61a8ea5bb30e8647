import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Wallet

/// The URLs between wallet and app.
@Suite struct MessageTests {
    @Test func messagesOfTheDocumentAreReadAndWritten() throws {
        let app = WalletExamples.app.text
        for (url, message) in [
            ("FBlocksCSA://?scheme=mHealthDApp", .introduction(WalletExamples.scheme, state: nil)),
            ("FBlocksCSA://?dcsi=\(app)", .request(.init(csi: WalletExamples.app))),
            (
                "FBlocksCSA://?dcsi=\(app)&isSelected=yes",
                .request(.init(csi: WalletExamples.app, isOptionalSelected: true))
            ),
            (
                "FBlocksCSA://?dcsi=\(app)&isSelected=no",
                .request(.init(csi: WalletExamples.app, isOptionalSelected: false))
            ),
            ("FBlocksCSA://?dcsi=\(app)&screen2=yes", .request(.init(csi: WalletExamples.app, isFromList: true))),
        ] as [(String, MessageToWallet)] {
            #expect(MessageToWallet(url) == message && message.url == url)
        }
        for (url, message) in [
            (
                "mHealthDApp://?UniqueIdentifier=device%201&wcsi=\(WalletExamples.wallet)",
                .introduced(deviceID: "device 1", wallet: WalletExamples.wallet, state: nil)
            ),
            ("mHealthDApp://?dpermissionshared=true", .accepted(state: nil)),
            ("mHealthDApp://", .rejected(state: nil)),
            ("mHealthDApp://?apppermissionshared=false", .withdrawn(state: nil)),
        ] as [(String, MessageToApp)] {
            #expect(MessageToApp(url, scheme: WalletExamples.scheme) == message)
            #expect(message.url(scheme: WalletExamples.scheme) == url)
        }
    }

    @Test func stateAndScopeAreRepeated() throws {
        let scope = try PermissionScope(
            access: .write, confidentiality: "V", sensitivities: ["ETH", "SOC"], types: .listed(["Patient"]))
        let request = MessageToWallet.request(
            .init(
                csi: WalletExamples.app, state: WalletExamples.state, scope: scope, scheme: WalletExamples.scheme,
                isOptionalSelected: true, isFromList: true))
        #expect(MessageToWallet(request.url) == request)
        #expect(request.url.contains("scope=patient%2FPatient.write%20sens%2FETH%20sens%2FSOC%20conf%2FV&state="))
        for message in [
            .introduced(
                deviceID: "d|".replacing("|", with: "ö"), wallet: WalletExamples.wallet, state: WalletExamples.state),
            .accepted(state: WalletExamples.state), .rejected(state: WalletExamples.state),
            .withdrawn(state: WalletExamples.state),
        ] as [MessageToApp] {
            #expect(MessageToApp(message.url(scheme: WalletExamples.scheme), scheme: WalletExamples.scheme) == message)
            #expect(message.state == WalletExamples.state)
        }
        // Systems change the case of a scheme, and some add a slash.
        #expect(MessageToWallet("fblockscsa:///?scheme=a") == .introduction(WalletExamples.appScheme("a"), state: nil))
    }

    /// P05.
    @Test func forgedMessagesAreNone() {
        let app = WalletExamples.app.text
        for url in [
            "", "FBlocksCSA", "FBlocksCSA:", "FBlocksCSA://", "FBlocksCSA://?", "https://?scheme=a", "x://?scheme=a",
            "FBlocksCSA://host?scheme=a", "FBlocksCSA://user@?scheme=a", "FBlocksCSA:?scheme=a",
            "FBlocksCSA://?scheme=https", "FBlocksCSA://?scheme=JavaScript", "FBlocksCSA://?scheme=file",
            "FBlocksCSA://?scheme=fblockscsa", "FBlocksCSA://?scheme=a:b", "FBlocksCSA://?scheme=1a",
            "FBlocksCSA://?scheme=", "FBlocksCSA://?scheme=a%0Ab", "FBlocksCSA://?scheme=a#b",
            "FBlocksCSA://?scheme=a&scheme=b", "FBlocksCSA://?scheme=a&state=short", "FBlocksCSA://?scheme=%",
            "FBlocksCSA://?dcsi=x", "FBlocksCSA://?dcsi=\(app)&dcsi=\(app)", "FBlocksCSA://?dcsi=\(app)&scheme=http",
            "FBlocksCSA://?dcsi=\(app)&scope=system/*.rs", "FBlocksCSA://?dcsi=\(app)&isSelected=maybe",
            "FBlocksCSA://?dcsi=\(app)&state=0123456789abcde%7C", " FBlocksCSA://?scheme=a", "FBlocksCSA://?scheme=ä",
            "FBlocksCSA://?scheme=" + String(repeating: "a", count: 65),
            "FBlocksCSA://?scheme=a" + String(repeating: "&", count: 5_000),
            "FBlocksCSA://?scheme=a" + (0..<20).map { "&x\($0)=1" }.joined(),
        ] { #expect(MessageToWallet(url) == nil, "\(url)") }
        for url in [
            "https://?dpermissionshared=true", "other://?dpermissionshared=true", "mHealthDApp://?dpermissionshared=",
            "mHealthDApp://?dpermissionshared=false", "mHealthDApp://?UniqueIdentifier=d",
            "mHealthDApp://?UniqueIdentifier=d&wcsi=x", "mHealthDApp://?UniqueIdentifier=&wcsi=\(app)",
            "mHealthDApp://?UniqueIdentifier=a%7Cb&wcsi=\(app)", "mHealthDApp://?other=1", "mHealthDApp://evil",
            "mHealthDApp://?dpermissionshared=true&state=short",
        ] { #expect(MessageToApp(url, scheme: WalletExamples.scheme) == nil, "\(url)") }
    }

    @Test func randomTextsAreReadAsTheyAreWritten() {
        var random = Seeded.fresh()
        let names = [
            "scheme", "dcsi", "wcsi", "state", "scope", "isSelected", "screen2", "UniqueIdentifier",
            "dpermissionshared",
            "apppermissionshared", "x", "", "%",
        ]
        let values = [
            WalletExamples.app.text, WalletExamples.state, "patient/*.read", "mHealthDApp", "https", "yes", "true", "",
            "%41", "%2", "a+b", "#", "é", "\u{0}",
        ]
        func parameter() -> String {
            let name = names.randomElement(using: &random) ?? ""
            return name + "=" + (values.randomElement(using: &random) ?? "")
        }
        var read = 0
        for _ in 0..<10_000 {
            let query = (0..<Int.random(in: 0...4, using: &random)).map { _ in parameter() }.joined(separator: "&")
            if let message = MessageToWallet("FBlocksCSA://?" + query) {
                read += 1
                #expect(MessageToWallet(message.url) == message)
            }
            if let message = MessageToApp("mHealthDApp://?" + query, scheme: WalletExamples.scheme) {
                read += 1
                let url = message.url(scheme: WalletExamples.scheme)
                #expect(MessageToApp(url, scheme: WalletExamples.scheme) == message)
            }
        }
        #expect(read > 100)
    }

    @Test func requestedScopesAreThoseOfAPermission() throws {
        let scope = try PermissionScope(requested: "patient/Patient.read sens/ETH sens/SOC conf/V btg")
        #expect(scope.access == .read && scope.confidentiality == "V" && scope.sensitivities == ["ETH", "SOC"])
        #expect(scope.types == .listed(["Patient"]))
        #expect(try PermissionScope(requested: scope.requestText) == scope)
        let all = try PermissionScope(requested: "patient/*.* patient/Patient.crus")
        #expect(
            all.access == .write && all.types == .all && all.confidentiality == "N"
                && all.requestText == "patient/*.write conf/N")
        for wrong in [
            "", "conf/N", "patient/Patient", "patient/Patient.delete", "user/*.read", "system/*.read",
            "patient/*.cruds",
            "patient/Patient.read patient/Observation.write", "patient/*.read conf/N conf/V", "patient/*.read conf/X",
            "patient/patient.read", "patient/*.read launch", "patient/*.read sens/a|b", "patient/../x.read",
            "patient/*.read " + String(repeating: "a", count: 3_000),
        ] {
            #expect(throws: PermissionError.self, "\(wrong)") { _ = try PermissionScope(requested: wrong) }
        }
    }
}
