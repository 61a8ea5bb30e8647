import Foundation
import Wire

extension WalletState {
    /// Changes the state and returns the effects. An event that does not fit the state changes nothing.
    public mutating func handle(_ event: Event) -> [WalletEffect] {
        switch event {
        case .registered(let guid, let deviceID):
            guard csi == nil, CsiText.isName(deviceID) else { return [] }
            csi = guid
            self.deviceID = deviceID
            guard let waiting = introduction, waiting.isWaiting else { return [] }
            return introduce(to: waiting.scheme, state: waiting.state)
        case .received(let message): return handle(message)
        case .described(let guid, let name):
            guard app(guid) != nil else { return [] }
            update(guid) { $0.name = name }
            return []
        case .grant(let terms):
            guard csi != nil else { return [] }
            return [.call(.grant(terms))]
        case .granted(let guids): return guids.flatMap { decided($0, .granted) { .accepted(state: $0) } }
        case .reject(let guid):
            guard let app = app(guid), app.request != nil else { return [] }
            // A permission that was given before stays.
            return decided(guid, app.isGranted ? .granted : .rejected) { .rejected(state: $0) }
        case .revoke(let guid):
            guard csi != nil else { return [] }
            return [.call(.end(guid))]
        case .revoked(let guid):
            guard app(guid) != nil else { return [] }
            return decided(guid, .withdrawn) { _ in .withdrawn(state: nil) }
        case .permissions(let permissions, let now):
            reconcile(permissions, now: now)
            return []
        case .ended:
            csi = nil
            return []
        }
    }

    private mutating func handle(_ message: MessageToWallet) -> [WalletEffect] {
        switch message {
        case .introduction(let scheme, let state):
            guard csi != nil else {
                introduction = Introduction(scheme: scheme, state: state, isWaiting: true)
                return []
            }
            return introduce(to: scheme, state: state)
        case .request(var request):
            guard csi != nil else { return [] }
            request.scheme = request.scheme ?? app(request.csi)?.scheme ?? introduction?.scheme
            let isKnown = update(request.csi) {
                $0.scheme = request.scheme
                $0.request = request
            }
            // The person sees the name that the server reports.
            return isKnown ? [.call(.fetchClaims(of: request.csi))] : []
        }
    }

    private mutating func introduce(to scheme: AppScheme, state: String?) -> [WalletEffect] {
        introduction = Introduction(scheme: scheme, state: state, isWaiting: false)
        guard let csi, let deviceID else { return [] }
        return [.open(MessageToApp.introduced(deviceID: deviceID, wallet: csi, state: state).url(scheme: scheme))]
    }

    /// Ends the request of an app, and answers it.
    private mutating func decided(
        _ guid: CsiGuid, _ phase: PermissionPhase, answer: (_ state: String?) -> MessageToApp
    ) -> [WalletEffect] {
        let request = app(guid)?.request
        update(guid) {
            $0.request = nil
            $0.decided = phase
        }
        guard let scheme = app(guid)?.scheme else { return [] }
        return [.open(answer(request?.state).url(scheme: scheme))]
    }

    /// The server's list decides which apps have a permission.
    private mutating func reconcile(_ permissions: [PermissionRecord], now: Date) {
        guard let csi else { return }
        var granted: Set<CsiGuid> = []
        for permission in permissions where permission.status == .active && permission.end.date > now {
            // A wallet also sees the permissions of the wallets that it replaced.
            granted.formUnion(permission.grantees)
        }
        granted.remove(csi)
        for index in apps.indices {
            if granted.remove(apps[index].csi) != nil {
                apps[index].decided = .granted
            } else if apps[index].isGranted {
                apps[index].decided = .withdrawn
            }
        }
        for guid in granted.sorted(by: { $0.text < $1.text }) { update(guid) { $0.decided = .granted } }
    }
}
