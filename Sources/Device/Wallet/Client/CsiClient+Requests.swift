import Core
import DeviceSystem
import Foundation
import HTTPTransport
import Wire

extension CsiClient {
    /// Returns the time of the server. The first call asks the server for it.
    ///
    /// - Throws: ``WalletError`` `clock-off`, and the errors of a request.
    public func serverTime() async throws -> Date {
        if let clock { return clock.time(at: now()) }
        let sentAt = now()
        let answer = try await get(.getTime)
        guard let time = ServerTimeAnswer(json: answer) else { throw WalletError(.answerInvalid) }
        let clock = try ServerClock(server: time.time, sentAt: sentAt, receivedAt: now())
        self.clock = clock
        return clock.time(at: now())
    }

    /// Sends a call of the csi and returns the answer.
    ///
    /// - Parameters:
    ///   - query: a query of the address, which is not signed.
    func send(_ call: CsiCall, query: String = "") async throws -> JSON {
        guard let identity = try storedIdentity(), identity.isConfirmed, let key = try store.key(.current) else {
            throw WalletError(.notRegistered)
        }
        do {
            return try await send(call, as: identity.csi, key: key, query: query)
        } catch let error as WalletError where error.refusal == .badSignature {
            // The answer to a new key may have been lost: the server then knows the next key.
            guard let next = try store.key(.next) else { throw error }
            let answer = try await send(call, as: identity.csi, key: next, query: query)
            try store.promote(next)
            return answer
        }
    }

    /// Sends a call signed by a key, and again once if the clock of the device was changed.
    func send(
        _ call: CsiCall, as csi: CsiGuid, key: P256SigningKey, newKey: P256SigningKey? = nil, query: String = ""
    ) async throws -> JSON {
        do {
            return try await sendOnce(call, as: csi, key: key, newKey: newKey, query: query)
        } catch let error as WalletError where error.refusal == .staleRequest {
            clock = nil
            return try await sendOnce(call, as: csi, key: key, newKey: newKey, query: query)
        }
    }

    private func sendOnce(
        _ call: CsiCall, as csi: CsiGuid, key: P256SigningKey, newKey: P256SigningKey?, query: String
    ) async throws -> JSON {
        let time = CsiInstant(try await serverTime())
        let request = try SignedCsiRequest(
            signing: call, csi: csi, time: time, nonce: nonce(), key: key, newKey: newKey)
        let url = try server.url(call.path.rawValue + query)
        return try await json(
            TransportRequest(
                method: CsiPath.method, url: url,
                headers: ["Content-Type": "application/json", "Accept": "application/json"], body: request.body))
    }

    /// Sends a call without a signature.
    func get(_ path: UtilityPath) async throws -> JSON {
        let url = try server.url(path.rawValue)
        return try await json(TransportRequest(method: "GET", url: url, headers: ["Accept": "application/json"]))
    }

    /// Sends a request and returns the JSON object of its answer.
    private func json(_ request: TransportRequest) async throws -> JSON {
        let response = try await reach(request)
        guard let json = JSON(reading: response.body), json.object != nil else { throw WalletError(.answerInvalid) }
        return json
    }

    /// Sends a request and returns an answer of status 200.
    func reach(_ request: TransportRequest) async throws -> TransportResponse {
        let response: TransportResponse
        do {
            response = try await transport.send(request)
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as TransportError {
            switch error.reason {
            case .answerInvalid: throw WalletError(.answerInvalid)
            case .certificateUntrusted: throw WalletError(.certificateUntrusted)
            case .connectionFailed: throw WalletError(.connectionFailed)
            }
        } catch {
            throw WalletError(.connectionFailed)
        }
        guard response.body.count <= Self.maximumAnswerBytes else { throw WalletError(.answerInvalid) }
        guard response.status == 200 else { throw refusal(of: response) }
        return response
    }

    private func refusal(of response: TransportResponse) -> WalletError {
        let json = response.body.count <= 64 << 10 ? JSON(reading: response.body) : nil
        // The token endpoint has the errors of RFC 6749 section 5.2.
        let code = json.flatMap { json in
            PermissionRefusal(json: json)?.code
                ?? OAuthError(json: json).flatMap { CsiText.isErrorCode($0.error) ? $0.error : nil }
        }
        guard let code else { return WalletError(.answerInvalid) }
        return WalletError(refusal: code, status: response.status, retryAfter: response.retryAfter(now: now()))
    }
}
