import Core
import Foundation
import Wire

/// The state of a person's wallet and of the apps that asked it. It is pure: ``handle(_:)`` takes an event and returns
/// the effects, and the caller has clock, random numbers, keys and network.
///
/// A message grants nothing. A permission begins and ends by the person's decision and the answer of the server.
public struct WalletState: Sendable, Hashable {
    /// An app as the wallet knows it.
    public struct App: Sendable, Hashable {
        /// The csi of the app.
        public let csi: CsiGuid
        /// The registered name by the server; nil if the server did not report one.
        public internal(set) var name: String?
        /// The scheme of answers, as a message named it; nil if no message named one.
        public internal(set) var scheme: AppScheme?
        /// The request that is not decided; nil for none.
        public internal(set) var request: MessageToWallet.Request?
        /// `ready`, `granted`, `rejected` or `withdrawn`.
        var decided: PermissionPhase = .ready

        init(csi: CsiGuid) { self.csi = csi }

        /// The phase: `asked` while a request is not decided.
        public var phase: PermissionPhase { request == nil ? decided : .asked }

        /// Whether the server reported a permission of the app that is active.
        public var isGranted: Bool { decided == .granted }
    }

    /// The events.
    public enum Event: Sendable, Hashable {
        /// The server registered the wallet.
        case registered(CsiGuid, deviceID: String)
        /// A message arrived by the wallet's scheme.
        case received(MessageToWallet)
        /// The server's answer about an app; nil if it reports no name.
        case described(CsiGuid, name: String?)
        /// The person grants these terms. One request may name several apps.
        case grant(PermissionTerms)
        /// The server created permissions for these apps.
        case granted([CsiGuid])
        /// The person refuses the request of an app.
        case reject(CsiGuid)
        /// The person ends the permissions of an app.
        case revoke(CsiGuid)
        /// The server ended the permissions of an app.
        case revoked(CsiGuid)
        /// The server's answer to `fetchGiven`.
        case permissions([PermissionRecord], now: Date)
        /// The server reports that the wallet has ended or does not exist.
        case ended
    }

    /// Maximum number of apps. The oldest one without a permission is removed for a new one.
    public static let appLimit = 1_000

    /// The csi of the wallet; nil if it is not registered.
    public internal(set) var csi: CsiGuid?
    /// The device id; nil if the wallet was never registered.
    public internal(set) var deviceID: String?
    /// The apps, the oldest first.
    public internal(set) var apps: [App] = []
    /// The latest introduction; the document's app names its scheme only there.
    var introduction: Introduction?

    struct Introduction: Sendable, Hashable {
        var scheme: AppScheme
        var state: String?
        /// Whether the answer is due after the registration.
        var isWaiting: Bool
    }

    /// Creates the state of a wallet that is not registered.
    public init() {}

    /// The phase of the wallet: `registrationNeeded` or `ready`.
    public var phase: PermissionPhase { csi == nil ? .registrationNeeded : .ready }

    /// Returns an app; nil if the wallet does not know it.
    public func app(_ csi: CsiGuid) -> App? { apps.first { $0.csi == csi } }

    /// Changes an app, which is added if the wallet does not know it.
    ///
    /// - Returns: whether there is room for the app.
    @discardableResult
    mutating func update(_ csi: CsiGuid, _ change: (inout App) -> Void) -> Bool {
        if let index = apps.firstIndex(where: { $0.csi == csi }) {
            change(&apps[index])
            return true
        }
        if apps.count >= Self.appLimit {
            guard let oldest = apps.firstIndex(where: { !$0.isGranted }) else { return false }
            apps.remove(at: oldest)
        }
        var app = App(csi: csi)
        change(&app)
        apps.append(app)
        return true
    }
}
