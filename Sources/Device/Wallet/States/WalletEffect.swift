import Wire

/// An effect that a state machine of wallet or app requires. The caller performs the effects in their order, and passes
/// the answers of the server on as events.
public enum WalletEffect: Sendable, Hashable {
    /// Register a csi with this device id.
    case register(deviceID: String)
    /// Send a signed call.
    case call(CsiCall)
    /// Open a URL with the system, which passes it to the other app.
    case open(String)
}

/// The states of the permission of an app, as app and wallet show them.
public enum PermissionPhase: String, Sendable, Hashable, CaseIterable {
    /// The app knows no wallet on this device.
    case walletMissing = "wallet-missing"
    /// The csi is not registered.
    case registrationNeeded = "registration-needed"
    /// Registered, and no permission is requested.
    case ready
    /// A permission is requested, and not decided.
    case asked
    /// The server reports a permission that is active.
    case granted
    /// The person refused the request, and the server reports no permission.
    case rejected
    /// The server reports no permission any more.
    case withdrawn
}
