import FHIR
import Testing

@testable import FHIRVersions

@Suite struct DeviceTests {
    @Test func aDeviceOfDSTU2GetsR4sCarrierModelAndStatus() throws {
        let result = try converted(
            """
            {"resourceType":"Device","type":{"text":"pump"},"status":"available","model":"A1","version":"2.0",
             "_version":{"extension":[{"url":"http://x.example/e","valueBoolean":true}]},
             "udi":"(01)0000123000017","expiry":"2020-08-08","note":[{"text":"new"}]}
            """)
        #expect(StructureCheck.problems(result.resource) == [])
        let json = result.resource.json
        #expect(json["status"]?.string == "active")
        #expect(json["modelNumber"]?.string == "A1")
        #expect(json["expirationDate"]?.string == "2020-08-08")
        #expect(json.path("version.0.value")?.string == "2.0")
        #expect(json.path("version.0._value.extension.0.valueBoolean")?.bool == true)
        #expect(json.path("udiCarrier.0.carrierHRF")?.string == "(01)0000123000017")
        #expect(result.notes.contains { $0.kind == .changed && $0.location == "Device.status" })
    }

    @Test(arguments: [("available", "active"), ("not-available", "inactive"), ("entered-in-error", "entered-in-error")])
    func theStatusOfDSTU2IsWrittenAsInR4(old: String, new: String) throws {
        let json = try converted(#"{"resourceType":"Device","status":"\#(old)","type":{}}"#).resource.json
        #expect(json["status"]?.string == new)
    }

    @Test func theUDIOfSTU3GivesItsNameToTheDevice() throws {
        let result = try converted(
            """
            {"resourceType":"Device","status":"active","udi":{"deviceIdentifier":"7","name":"Hip","entryType":"rfid",
             "carrierAIDC":"AAEC","jurisdiction":"http://hl7.org/fhir/NamingSystem/fda-udi"}}
            """, .stu3)
        #expect(StructureCheck.problems(result.resource) == [])
        let json = result.resource.json
        #expect(json.path("udiCarrier.0")?["name"] == nil)
        #expect(json.path("udiCarrier.0.entryType")?.string == "rfid")
        #expect(json.path("deviceName.0") == ["name": "Hip", "type": "udi-label-name"])
    }
}
