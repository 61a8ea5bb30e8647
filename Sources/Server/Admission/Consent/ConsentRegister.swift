import Foundation
import InformedConsent
import Storage
import Warehouse

extension ConsentState {
    /// State of the consent, for the gate.
    package var gateState: ConsentContext.State {
        switch status {
        case .none: .none
        case .consented: .consented
        case .withdrawn: .withdrawn
        }
    }
}

extension ConsentState {
    /// Whether the consent in force permits other researchers to use the data; nil without a consent, or if it did not
    /// ask.
    package var sharing: Bool? {
        if case .consented(let contract) = status { contract.sharing } else { nil }
    }
}

extension ConsentState {
    /// The consent in the form of the warehouse's patient queries.
    package var patientConsent: PatientConsent {
        let standing: PatientConsent.Status? =
            switch gateState {
            case .none: nil
            case .consented: .consented
            case .withdrawn: .withdrawn
            }
        return PatientConsent(status: standing, version: newest?.templateVersion, sharing: sharing)
    }
}

/// Stores the state of each participant's consent.
package struct ConsentRegister: Sendable {
    package init() {}

    /// Returns the state of a participant's consent; empty for an unknown participant.
    package func state(of subject: String, in transaction: any SQLTransaction) throws -> ConsentState {
        let row = try transaction.first(
            "SELECT state FROM participant_consent WHERE subject = ?", [SQLValue(subject)])
        guard let row else { return ConsentState() }
        return try JSONDecoder().decode(ConsentState.self, from: Data(try row.text("state").utf8))
    }

    /// Stores the state after a Contract or a withdrawal.
    package func save(
        _ state: ConsentState, of subject: String, clientID: String, at: Date, in transaction: any SQLTransaction
    ) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(state), as: UTF8.self)
        try transaction.execute(
            """
            INSERT INTO participant_consent (subject, standing, state, client_id, updated_at, shares)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (subject) DO UPDATE SET standing = excluded.standing, state = excluded.state,
                client_id = excluded.client_id, updated_at = excluded.updated_at, shares = excluded.shares
            """,
            [
                SQLValue(subject), SQLValue(state.gateState.rawValue), SQLValue(text), SQLValue(clientID), SQLValue(at),
                SQLValue(state.sharing ?? false),
            ])
        try WarehouseLoader().write(state.patientConsent, of: subject, at: at, in: transaction)
    }

    /// Deletes the state of a participant's consent.
    package func delete(_ subject: String, in transaction: any SQLTransaction) throws -> RowsDigest {
        try transaction.delete(
            from: "participant_consent", where: "subject = ?", [SQLValue(subject)], orderedBy: "subject")
    }

    /// Returns all participants with their states, sorted by id.
    package func all(in transaction: any SQLTransaction) throws -> [(subject: String, state: ConsentState)] {
        try transaction.query("SELECT subject, state FROM participant_consent ORDER BY subject").map { row in
            let state = try JSONDecoder().decode(ConsentState.self, from: Data(try row.text("state").utf8))
            return (try row.text("subject"), state)
        }
    }
}
