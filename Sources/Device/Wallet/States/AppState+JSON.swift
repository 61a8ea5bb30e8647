import Core
import Wire

extension AppState {
    /// The state as it is stored.
    public var json: JSON {
        var json: JSON = [
            "scheme": .string(scheme.text), "phase": .string(phase.rawValue), "requiresState": .bool(requiresState),
            "isRejectionReported": .bool(isRejectionReported),
        ]
        if let deviceID { json["deviceId"] = .string(deviceID) }
        if let wallet { json["wcsi"] = .string(wallet.text) }
        if let csi { json["dcsi"] = .string(csi.text) }
        if let expected { json["expected"] = .string(expected) }
        return json
    }

    /// Reads a stored state; nil if it is none.
    public init?(json: JSON) {
        guard let scheme = json["scheme"]?.string.flatMap({ AppScheme($0) }),
            let phase = json["phase"]?.string.flatMap(PermissionPhase.init(rawValue:)),
            let requiresState = json["requiresState"]?.bool
        else { return nil }
        self.init(scheme: scheme, requiresState: requiresState)
        self.phase = phase
        deviceID = json["deviceId"]?.string
        wallet = json["wcsi"]?.string.flatMap { CsiGuid($0) }
        csi = json["dcsi"]?.string.flatMap { CsiGuid($0) }
        expected = json["expected"]?.string
        isRejectionReported = json["isRejectionReported"]?.bool ?? false
        // A state that no sequence of events reaches is damaged.
        let needsCsi = phase != .walletMissing && phase != .registrationNeeded
        guard needsCsi == (csi != nil), phase == .walletMissing || deviceID != nil else { return nil }
    }
}
