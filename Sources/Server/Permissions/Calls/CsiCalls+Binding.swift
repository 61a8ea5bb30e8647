import Audit
import Foundation
import Storage
import Wire

extension CsiCalls {
    /// Binds the caller, a wallet, to the Patient of a one-time code. A former wallet of the Patient ends.
    ///
    /// A wrong, used or expired code and that of a deleted participant have one answer.
    func bind(_ call: VerifiedCsiCall, code: String, in transaction: any SQLTransaction) throws -> CsiEffect {
        let now = call.receivedAt
        guard let patient = try WalletCodes.patient(of: code, now: now, in: transaction),
            try !DeletionRegister().isDeleted(patient, in: transaction)
        else { throw PermissionError.notPermitted }
        let own = call.csi
        try endWalletsOfEndedClients(own.deviceID, patient, now: now, in: transaction)
        // 1. A device has one wallet. The device of the caller may have a former wallet of the same Patient.
        let ofDevice = try CsiInstance.wallet(ofDevice: own.deviceID, in: transaction)
        guard (own.patient ?? patient) == patient, (ofDevice?.patient ?? patient) == patient else {
            throw PermissionError(.keyMismatch, "This device has the wallet of another person.")
        }
        // 2. A Patient has one wallet.
        let ofPatient = try CsiInstance.wallet(ofPatient: patient, in: transaction)
        for former in [ofDevice, ofPatient].compactMap({ $0 }) where former.guid != own.guid {
            try csis.end(former.guid, now: now, in: transaction)
        }
        // 3. The binding.
        try WalletCodes.use(code, by: own.guid, now: now, in: transaction)
        try transaction.execute(
            "UPDATE csi SET participant = ?, bound_at = ? WHERE guid = ?",
            [SQLValue(patient), SQLValue(now), SQLValue(own.guid.text)])
        return CsiEffect(
            answer: CsiAnswer(csi: own.guid, patient: "Patient/\(patient)").json,
            target: CsiStore.target(own.guid, of: patient))
    }

    /// Ends the wallets of a device and of a Patient whose client has ended by itself: the store allows one wallet in use.
    private func endWalletsOfEndedClients(
        _ device: String, _ patient: String, now: Date, in transaction: any SQLTransaction
    ) throws {
        let rows = try [(CsiInstance.walletOfDeviceSQL, device), (CsiInstance.walletOfPatientSQL, patient)].compactMap {
            try transaction.first($0, [SQLValue($1)])
        }
        for wallet in try rows.map({ try CsiInstance($0) }) where wallet.endedAt != nil {
            try csis.end(wallet.guid, now: now, in: transaction)
        }
    }
}
