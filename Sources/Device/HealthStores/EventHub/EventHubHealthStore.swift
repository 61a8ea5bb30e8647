import Core
import FHIR
import Foundation
import HealthData
import HealthSync
import Outbox
import Wire

/// An event hub as a store of health data. It sends a message for each sample, in the format of HealthKitOnFhir, and
/// one for each deletion.
///
/// A hub cannot be searched: a sample that is sent twice arrives twice, with the same `uuid`. The gateway of a study is
/// such a hub too (docs/device-gateway.md).
public actor EventHubHealthStore: ExternalStore {
    private let connection: EventHubConnection
    private let transport: any Transport
    private let patient: String
    private let device: String
    private let clock: @Sendable () -> Date

    /// Maximum bytes of a request: the limit of Event Hubs' lowest tier.
    static let maximumBytes = 256 << 10
    /// Maximum number of messages in a request.
    static let maximumMessages = 1_000

    /// - Parameters:
    ///   - patient: the `patientId` of messages: the id of the participant's Patient.
    ///   - device: the `deviceId` of messages.
    ///   - clock: returns the current time.
    public init(
        _ connection: EventHubConnection, transport: any Transport = URLSessionTransport(), patient: String,
        device: String, clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.connection = connection
        self.transport = transport
        self.patient = patient
        self.device = device
        self.clock = clock
    }

    public nonisolated var identity: StoreIdentity { .sample }
    public nonisolated var findsUnknown: Bool { true }

    public func add(_ samples: [OutgoingSample]) async throws -> StoreAnswers<HealthOutcome> {
        var outcomes: [UUID: HealthOutcome] = [:]
        var messages: [(uuid: UUID, body: JSON)] = []
        for sample in samples {
            if let body = sample.message(patient: patient) {
                messages.append((sample.uuid, complete(body)))
            } else {
                outcomes[sample.uuid] = .refused(code: "message-missing")
            }
        }
        try await sendAll(messages, into: &outcomes)
        return StoreAnswers(outcomes)
    }

    public func update(_ samples: [OutgoingSample]) async throws -> StoreAnswers<HealthOutcome> {
        try await add(samples)
    }

    public func delete(_ samples: [DeletedSample]) async throws -> StoreAnswers<HealthOutcome> {
        var outcomes: [UUID: HealthOutcome] = [:]
        let messages = samples.map { sample in
            let body: JSON = [
                "uuid": .string(sample.uuid.uuidString), "type": .string(sample.type), "deleted": true,
            ]
            return (sample.uuid, complete(body))
        }
        try await sendAll(messages, into: &outcomes)
        return StoreAnswers(outcomes)
    }

    private func complete(_ body: JSON) -> JSON {
        var object = body.object ?? JSONObject()
        object["patientId"] = .string(patient)
        object["deviceId"] = .string(device)
        return .object(object)
    }

    private func sendAll(
        _ messages: [(uuid: UUID, body: JSON)], into outcomes: inout [UUID: HealthOutcome]
    ) async throws {
        var rest = messages.map { ($0.uuid, ["Body": .string($0.body.text())] as JSON) }[...]
        while !rest.isEmpty {
            var part: [(UUID, JSON)] = []
            var bytes = 2
            while let next = rest.first, part.count < Self.maximumMessages {
                let size = next.1.data().count + 1
                guard part.isEmpty || bytes + size <= Self.maximumBytes else { break }
                bytes += size
                part.append(next)
                rest = rest.dropFirst()
            }
            let outcome = try await send(part, into: &outcomes)
            guard case .deferred? = outcome else { continue }
            for (uuid, _) in rest { outcomes[uuid] = outcome }
            return
        }
    }

    /// Sends messages in one request, or in halves if the request is too large.
    ///
    /// - Returns: the outcome of the last message.
    @discardableResult
    private func send(
        _ part: [(UUID, JSON)], into outcomes: inout [UUID: HealthOutcome]
    ) async throws -> HealthOutcome? {
        let response = try await transport.send(
            TransportRequest(
                method: "POST", url: connection.messages,
                headers: [
                    "Content-Type": EventHubName.batchMediaType,
                    "Authorization": connection.authorization(now: clock()),
                ], body: JSON.array(part.map(\.1)).data()))
        if response.status == 413, part.count > 1 {
            let half = part.count / 2
            let first = try await send(Array(part[..<half]), into: &outcomes)
            if case .deferred? = first {
                for (uuid, _) in part[half...] { outcomes[uuid] = first }
                return first
            }
            return try await send(Array(part[half...]), into: &outcomes)
        }
        let outcome = HealthOutcome(status: response.status, retryAfter: response.retryAfter(now: clock()))
        for (uuid, _) in part { outcomes[uuid] = outcome }
        return outcome
    }
}

extension OutgoingSample {
    /// Returns the sample as a message: HealthKitOnFhir's if it has one for the type, otherwise
    /// `{"uuid", "type", "value", "unit", "startDate", "endDate"}`. Nil for samples without a single value.
    func message(patient: String?) -> JSON? {
        guard case .observation(let observation) = content else { return nil }
        return observation.sample.message(subject: patient) ?? observation.sample.plainMessage
    }
}
