import Core
import Foundation
import Wire

/// The state of an app that asks a person's wallet for a permission. It is pure: ``handle(_:)`` takes an event and returns
/// the effects, and the caller has clock, random numbers, keys and network.
///
/// Messages only cause questions to the server. The phases `granted`, `rejected` and `withdrawn` come from its answers.
public struct AppState: Sendable, Hashable {
    /// The events.
    public enum Event: Sendable, Hashable {
        /// The app looks for the wallet; a new random state (``MessageState``).
        case introduce(state: String)
        /// The device id is known without the wallet.
        case useDevice(String)
        /// A message arrived by the app's scheme.
        case received(MessageToApp)
        /// The server registered the csi.
        case registered(CsiGuid)
        /// The app asks for access; a new random state.
        case ask(PermissionScope?, state: String)
        /// The server's answer to `fetchReceived`.
        case permissions([PermissionRecord], now: Date)
        /// The server reports that the csi has ended or does not exist.
        case ended
    }

    /// The scheme of the app.
    public let scheme: AppScheme
    /// Whether a message counts only if it repeats the state. The document's wallet does not repeat it.
    public let requiresState: Bool
    /// The phase.
    public internal(set) var phase: PermissionPhase = .walletMissing
    /// The device id; nil if it is not known.
    public internal(set) var deviceID: String?
    /// The csi of the wallet as its message named it, which proves nothing; nil if it is not known.
    public internal(set) var wallet: CsiGuid?
    /// The csi of the app; nil if it is not registered.
    public internal(set) var csi: CsiGuid?
    /// The state of the message whose answer is expected; nil for none.
    var expected: String?
    /// Whether the wallet reported that the person refused the request.
    var isRejectionReported = false

    /// Creates the state of an app that knows no wallet.
    public init(scheme: AppScheme, requiresState: Bool = true) {
        self.scheme = scheme
        self.requiresState = requiresState
    }

    // MARK: - Transitions

    /// Changes the state and returns the effects. An event that does not fit the phase changes nothing.
    public mutating func handle(_ event: Event) -> [WalletEffect] {
        switch event {
        case .introduce(let state):
            guard csi == nil, MessageState.isValid(state) else { return [] }
            expected = state
            return [.open(MessageToWallet.introduction(scheme, state: state).url)]
        case .useDevice(let id):
            guard csi == nil, CsiText.isName(id) else { return [] }
            return register(on: id)
        case .received(let message): return handle(message)
        case .registered(let guid):
            guard phase == .registrationNeeded else { return [] }
            csi = guid
            phase = .ready
            return []
        case .ask(let scope, let state):
            guard let csi, phase != .registrationNeeded, MessageState.isValid(state) else { return [] }
            if phase != .granted { phase = .asked }
            expected = state
            isRejectionReported = false
            let request = MessageToWallet.Request(csi: csi, state: state, scope: scope, scheme: scheme)
            return [.open(MessageToWallet.request(request).url)]
        case .permissions(let permissions, let now):
            decide(permissions, now: now)
            return []
        case .ended:
            guard csi != nil else { return [] }
            csi = nil
            expected = nil
            isRejectionReported = false
            phase = deviceID == nil ? .walletMissing : .registrationNeeded
            return []
        }
    }

    private mutating func handle(_ message: MessageToApp) -> [WalletEffect] {
        let isExpected = expected != nil && (message.state == expected || (message.state == nil && !requiresState))
        if case .introduced(let deviceID, let wallet, _) = message {
            // A forged introduction would register the app on another person's device.
            guard isExpected, csi == nil else { return [] }
            expected = nil
            self.wallet = wallet
            return register(on: deviceID)
        }
        guard csi != nil else { return [] }
        if case .rejected = message, isExpected, phase == .asked { isRejectionReported = true }
        return [.call(.fetchReceived)]
    }

    private mutating func register(on deviceID: String) -> [WalletEffect] {
        self.deviceID = deviceID
        phase = .registrationNeeded
        return [.register(deviceID: deviceID)]
    }

    /// The server's answer decides.
    private mutating func decide(_ permissions: [PermissionRecord], now: Date) {
        guard let csi else { return }
        let isGranted = permissions.contains {
            $0.status == .active && $0.end.date > now && $0.grantees.contains(csi)
        }
        switch (phase, isGranted) {
        case (_, true):
            phase = .granted
            expected = nil
            isRejectionReported = false
        case (.granted, false): phase = .withdrawn
        case (.asked, false) where isRejectionReported:
            phase = .rejected
            expected = nil
            isRejectionReported = false
        default: break
        }
    }
}
