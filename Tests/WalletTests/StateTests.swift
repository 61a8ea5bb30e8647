import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Wallet

/// The state machines of wallet and app.
@Suite struct StateTests {
    private let now = WalletExamples.now

    private func opened(_ effects: [WalletEffect]) -> [String] {
        effects.compactMap { if case .open(let url) = $0 { url } else { nil } }
    }

    /// The document's steps, by URLs between the two.
    @Test func appGetsAPermission() throws {
        var wallet = WalletState()
        var app = AppState(scheme: WalletExamples.scheme)
        #expect(wallet.phase == .registrationNeeded && app.phase == .walletMissing)
        // 1. The app looks for the wallet, which is not registered yet.
        var url = try #require(opened(app.handle(.introduce(state: WalletExamples.state))).first)
        var toWallet = try #require(MessageToWallet(url))
        #expect(wallet.handle(.received(toWallet)) == [])
        url = try #require(opened(wallet.handle(.registered(WalletExamples.wallet, deviceID: "device 1"))).first)
        #expect(wallet.phase == .ready)
        // 2. The app registers with the wallet's device id.
        var toApp = try #require(MessageToApp(url, scheme: WalletExamples.scheme))
        #expect(app.handle(.received(toApp)) == [.register(deviceID: "device 1")])
        #expect(app.phase == .registrationNeeded && app.wallet == WalletExamples.wallet)
        #expect(app.handle(.registered(WalletExamples.app)) == [] && app.phase == .ready)
        // 3. The app asks; the wallet asks the server for its name.
        let scope = try PermissionScope(access: .read)
        url = try #require(opened(app.handle(.ask(scope, state: WalletExamples.otherState))).first)
        #expect(app.phase == .asked)
        toWallet = try #require(MessageToWallet(url))
        #expect(wallet.handle(.received(toWallet)) == [.call(.fetchClaims(of: WalletExamples.app))])
        _ = wallet.handle(.described(WalletExamples.app, name: "Steps"))
        let entry = try #require(wallet.app(WalletExamples.app))
        #expect(entry.phase == .asked && entry.name == "Steps" && entry.request?.scope == scope)
        // 4. The person grants; the server confirms.
        let terms = try WalletExamples.terms()
        #expect(wallet.handle(.grant(terms)) == [.call(.grant(terms))])
        #expect(wallet.app(WalletExamples.app)?.phase == .asked, "the server has not confirmed")
        url = try #require(opened(wallet.handle(.granted([WalletExamples.app]))).first)
        #expect(wallet.app(WalletExamples.app)?.phase == .granted)
        toApp = try #require(MessageToApp(url, scheme: WalletExamples.scheme))
        #expect(app.handle(.received(toApp)) == [.call(.fetchReceived)] && app.phase == .asked)
        _ = app.handle(.permissions([try WalletExamples.permission()], now: now))
        #expect(app.phase == .granted)
        // 5. The person ends it.
        #expect(wallet.handle(.revoke(WalletExamples.app)) == [.call(.end(WalletExamples.app))])
        url = try #require(opened(wallet.handle(.revoked(WalletExamples.app))).first)
        #expect(wallet.app(WalletExamples.app)?.phase == .withdrawn)
        toApp = try #require(MessageToApp(url, scheme: WalletExamples.scheme))
        #expect(app.handle(.received(toApp)) == [.call(.fetchReceived)] && app.phase == .granted)
        _ = app.handle(.permissions([try WalletExamples.permission(status: .revoked)], now: now))
        #expect(app.phase == .withdrawn)
    }

    private func registered(_ phase: PermissionPhase = .ready) throws -> AppState {
        var app = AppState(scheme: WalletExamples.scheme)
        _ = app.handle(.useDevice("device 1"))
        _ = app.handle(.registered(WalletExamples.app))
        if phase == .asked { _ = app.handle(.ask(nil, state: WalletExamples.state)) }
        if phase == .granted { _ = app.handle(.permissions([try WalletExamples.permission()], now: now)) }
        #expect(app.phase == phase)
        return app
    }

    /// P05: messages only cause a question to the server.
    @Test func forgedMessagesChangeNoAccess() throws {
        let messages: [MessageToApp] = [nil, WalletExamples.otherState].flatMap { state in
            [
                .introduced(deviceID: "attacker", wallet: WalletExamples.other, state: state), .accepted(state: state),
                .rejected(state: state), .withdrawn(state: state),
            ] as [MessageToApp]
        }
        for phase in [PermissionPhase.ready, .asked, .granted] {
            for message in messages {
                var app = try registered(phase)
                let before = app
                let effects = app.handle(.received(message))
                #expect(app == before && (effects.isEmpty || effects == [.call(.fetchReceived)]))
            }
        }
        // An introduction that the app did not ask for, or that has another state.
        for waiting in [false, true] {
            var app = AppState(scheme: WalletExamples.scheme)
            if waiting { _ = app.handle(.introduce(state: WalletExamples.state)) }
            let before = app
            for message in messages { #expect(app.handle(.received(message)) == [] && app == before) }
        }
    }

    @Test func rejectionNeedsStateAndServer() throws {
        var app = try registered(.asked)
        #expect(app.handle(.received(.rejected(state: WalletExamples.state))) == [.call(.fetchReceived)])
        #expect(app.phase == .asked)
        var granted = app
        _ = granted.handle(.permissions([try WalletExamples.permission()], now: now))
        #expect(granted.phase == .granted, "the server decides")
        _ = app.handle(.permissions([], now: now))
        #expect(app.phase == .rejected)
        _ = app.handle(.ask(nil, state: WalletExamples.otherState))
        #expect(app.phase == .asked)
        // The document's wallet repeats no state.
        var lenient = AppState(scheme: WalletExamples.scheme, requiresState: false)
        _ = lenient.handle(.introduce(state: WalletExamples.state))
        let introduced = MessageToApp.introduced(deviceID: "d", wallet: WalletExamples.wallet, state: nil)
        #expect(lenient.handle(.received(introduced)) == [.register(deviceID: "d")])
        _ = lenient.handle(.registered(WalletExamples.app))
        _ = lenient.handle(.ask(nil, state: WalletExamples.state))
        _ = lenient.handle(.received(.rejected(state: nil)))
        _ = lenient.handle(.permissions([], now: now))
        #expect(lenient.phase == .rejected)
    }

    @Test func onlyAnActivePermissionOfTheAppCounts() throws {
        for permission in [
            try WalletExamples.permission([WalletExamples.other]), try WalletExamples.permission(status: .revoked),
            try WalletExamples.permission(status: .expired),
        ] {
            var app = try registered(.asked)
            _ = app.handle(.permissions([permission], now: now))
            #expect(app.phase == .asked)
        }
        var app = try registered(.asked)
        let last = try WalletExamples.permission(days: 1)
        _ = app.handle(.permissions([last], now: last.end.date.addingTimeInterval(-0.001)))
        #expect(app.phase == .granted)
        _ = app.handle(.permissions([last], now: last.end.date))
        #expect(app.phase == .withdrawn, "the end does not belong to the period")
    }

    @Test func endedCsiRegistersAgain() throws {
        var app = try registered(.granted)
        #expect(app.handle(.ended) == [] && app.phase == .registrationNeeded && app.csi == nil)
        _ = app.handle(.registered(WalletExamples.other))
        #expect(app.phase == .ready && app.csi == WalletExamples.other)
        var wallet = WalletState()
        _ = wallet.handle(.registered(WalletExamples.wallet, deviceID: "d"))
        #expect(wallet.handle(.ended) == [] && wallet.phase == .registrationNeeded)
        #expect(try wallet.handle(.grant(WalletExamples.terms())) == [])
    }

    @Test func walletKeepsWhatTheServerReported() throws {
        var wallet = WalletState()
        _ = wallet.handle(.registered(WalletExamples.wallet, deviceID: "d"))
        _ = wallet.handle(.permissions([try WalletExamples.permission()], now: now))
        #expect(wallet.app(WalletExamples.app)?.phase == .granted)
        // A forged request of an app with a permission, refused: the permission stays.
        let request = MessageToWallet.Request(csi: WalletExamples.app, scheme: WalletExamples.scheme)
        _ = wallet.handle(.received(.request(request)))
        #expect(wallet.app(WalletExamples.app)?.phase == .asked && wallet.app(WalletExamples.app)?.isGranted == true)
        #expect(opened(wallet.handle(.reject(WalletExamples.app))) == ["mHealthDApp://"])
        #expect(wallet.app(WalletExamples.app)?.phase == .granted)
        #expect(wallet.handle(.reject(WalletExamples.app)) == [], "there is no request")
        _ = wallet.handle(.permissions([], now: now))
        #expect(wallet.app(WalletExamples.app)?.phase == .withdrawn)
        #expect(wallet.handle(.described(WalletExamples.other, name: "x")) == [] && wallet.apps.count == 1)
    }

    @Test func schemeOfTheDocumentsAppIsThatOfItsIntroduction() throws {
        var wallet = WalletState()
        _ = wallet.handle(.registered(WalletExamples.wallet, deviceID: "d"))
        _ = wallet.handle(.received(.introduction(WalletExamples.scheme, state: nil)))
        _ = wallet.handle(.received(.request(.init(csi: WalletExamples.app))))
        #expect(opened(wallet.handle(.granted([WalletExamples.app]))) == ["mHealthDApp://?dpermissionshared=true"])
    }

    @Test func forgedRequestsAreBounded() throws {
        var wallet = WalletState()
        _ = wallet.handle(.registered(WalletExamples.wallet, deviceID: "d"))
        _ = wallet.handle(.permissions([try WalletExamples.permission()], now: now))
        for number in 0..<(WalletState.appLimit + 100) {
            let csi = WalletExamples.guid("99999999-aaaa-4bbb-8ccc-\(100_000_000_000 + number)")
            #expect(wallet.handle(.received(.request(.init(csi: csi)))).count == 1)
        }
        #expect(wallet.apps.count == WalletState.appLimit && wallet.app(WalletExamples.app)?.isGranted == true)
    }

    /// Random events: access follows only the server, and each state is stored and read without a change.
    @Test func randomEventsKeepTheInvariants() throws {
        var random = Seeded.fresh()
        let states = [WalletExamples.state, WalletExamples.otherState]
        let csis = [WalletExamples.app, WalletExamples.other]
        func state() -> String? { Bool.random(using: &random) ? states.randomElement(using: &random) : nil }
        func csi() -> CsiGuid { csis.randomElement(using: &random) ?? WalletExamples.app }
        let lists = [
            [], [try WalletExamples.permission()], [try WalletExamples.permission(status: .revoked)],
            [try WalletExamples.permission([WalletExamples.other])],
        ]
        let terms = try WalletExamples.terms()
        for round in 0..<100 {
            var app = AppState(scheme: WalletExamples.scheme, requiresState: round.isMultiple(of: 2))
            var wallet = WalletState()
            for _ in 0..<40 {
                let message: MessageToApp =
                    switch Int.random(in: 0...3, using: &random) {
                    case 0: .introduced(deviceID: "d", wallet: csi(), state: state())
                    case 1: .accepted(state: state())
                    case 2: .rejected(state: state())
                    default: .withdrawn(state: state())
                    }
                let list = lists.randomElement(using: &random) ?? []
                let appEvent: AppState.Event =
                    switch Int.random(in: 0...7, using: &random) {
                    case 0: .introduce(state: states[0])
                    case 1: .useDevice("d")
                    case 2: .registered(csi())
                    case 3: .ask(nil, state: states[1])
                    case 4: .permissions(list, now: now)
                    case 5: .ended
                    default: .received(message)
                    }
                let before = app.phase
                _ = app.handle(appEvent)
                #expect(AppState(json: app.json) == app)
                if app.phase == .granted, before != .granted {
                    guard case .permissions(let list, _) = appEvent else {
                        Issue.record("\(appEvent) granted something")
                        continue
                    }
                    #expect(list.contains { $0.status == .active && app.csi.map($0.grantees.contains) == true })
                }
                if before == .granted, app.phase == .withdrawn || app.phase == .rejected {
                    guard case .permissions = appEvent else {
                        Issue.record("\(appEvent) ended something")
                        continue
                    }
                }
                let walletEvent: WalletState.Event =
                    switch Int.random(in: 0...9, using: &random) {
                    case 0: .registered(WalletExamples.wallet, deviceID: "d")
                    case 1: .received(.introduction(WalletExamples.scheme, state: state()))
                    case 2: .received(.request(.init(csi: csi(), state: state(), scheme: WalletExamples.scheme)))
                    case 3: .described(csi(), name: "Steps")
                    case 4: .grant(terms)
                    case 5: .granted([csi()])
                    case 6: .reject(csi())
                    case 7: .revoked(csi())
                    case 8: .permissions(list, now: now)
                    default: .ended
                    }
                let granted = Set(wallet.apps.filter(\.isGranted).map(\.csi))
                _ = wallet.handle(walletEvent)
                #expect(WalletState(json: wallet.json) == wallet)
                if Set(wallet.apps.filter(\.isGranted).map(\.csi)) != granted {
                    switch walletEvent {
                    case .granted, .revoked, .permissions: break
                    default: Issue.record("\(walletEvent) changed access")
                    }
                }
            }
        }
    }

    @Test func damagedStatesAreNotRead() throws {
        let app = try registered(.granted).json
        for (name, value) in [
            ("scheme", "https"), ("phase", "other"), ("dcsi", "x"), ("requiresState", "x"), ("phase", "wallet-missing"),
        ] as [(String, JSON)] {
            var json = app
            json[name] = value
            #expect(AppState(json: json) == nil, "\(name)")
        }
        for json in [JSON.null, [:], ["apps": [1]], ["apps": [], "wcsi": .string(WalletExamples.wallet.text)]] {
            #expect(WalletState(json: json) == nil)
        }
    }

    @Test func clockMayDifferBy300Seconds() throws {
        let server = CsiInstant(now)
        for (difference, isPermitted) in [(300.0, true), (-300, true), (301, false), (-301, false), (1e9, false)] {
            let device = now.addingTimeInterval(-difference)
            guard isPermitted else {
                #expect(throws: WalletError(.clockOff)) {
                    try ServerClock(server: server, sentAt: device, receivedAt: device)
                }
                continue
            }
            let clock = try ServerClock(server: server, sentAt: device, receivedAt: device)
            #expect(clock.offset == difference && clock.time(at: device) == now, "the difference is added")
        }
        let clock = try ServerClock(server: server, sentAt: now, receivedAt: now.addingTimeInterval(10))
        #expect(clock.offset == -5)
        #expect(try ServerClock(server: server, sentAt: now, receivedAt: now.addingTimeInterval(-10)).offset == 0)
    }
}
