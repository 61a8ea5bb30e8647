import FHIR
import Foundation
import InformedConsent
import Storage

/// Writes contracts and withdrawals into the consent tables, in any order of arrival.
struct ConsentRows {
    let transaction: any SQLTransaction
    let context: LoadContext
    let patient: Int64
    let upload: Int64

    /// Writes the present version of a contract: the values that the consent gate reads, or NULLs if it is not signed.
    func write(_ contract: Contract) throws {
        let signed = try? SignedContractReader.read(contract, receivedAt: context.receivedAt)
        try transaction.execute(
            """
            INSERT INTO consent_contract (contract_id, patient_num, template_url, template_version, signed_at,
                shares_widely, status_cd, upload_id, update_date) VALUES (?, ?, ?, ?, ?, ?, 'A', ?, ?)
            ON CONFLICT (contract_id) DO UPDATE SET template_url = excluded.template_url,
                template_version = excluded.template_version, signed_at = excluded.signed_at,
                shares_widely = excluded.shares_widely, upload_id = excluded.upload_id,
                update_date = excluded.update_date
            WHERE consent_contract.patient_num = excluded.patient_num
            """,
            [
                SQLValue(contract.id), SQLValue(patient), SQLValue(signed?.templateURL),
                SQLValue(signed?.templateVersion),
                WarehouseTime.value(signed?.signedAt), SQLValue(signed?.sharing), SQLValue(upload),
                WarehouseTime.value(context.receivedAt),
            ])
    }

    /// Withdraws a contract. A withdrawal is permanent, and the first one counts. So every version of a withdrawal is
    /// processed, not only the present one.
    func withdraw(_ consent: FHIR.Consent) throws {
        guard consent.status == .inactive, case .reference(let source)? = consent.source,
            let contract = source.literal, contract.type == Contract.resourceType
        else { return }
        let at = consent.dateTime?.start() ?? context.receivedAt
        try transaction.execute(
            """
            INSERT INTO consent_contract (contract_id, patient_num, status_cd, withdrawn_at, upload_id)
            VALUES (?, ?, 'I', ?, ?)
            ON CONFLICT (contract_id) DO UPDATE SET status_cd = 'I', withdrawn_at = excluded.withdrawn_at
            WHERE consent_contract.patient_num = excluded.patient_num
                AND (consent_contract.withdrawn_at IS NULL OR excluded.withdrawn_at < consent_contract.withdrawn_at)
            """,
            [SQLValue(contract.id), SQLValue(patient), WarehouseTime.value(at), SQLValue(upload)])
    }
}
