// swift-format-ignore-file

extension TableText {
    /// Codes by which types are recognised, but which Tributary's own observations do not contain: `type | codings`.
    /// They are the codes of HealthKitToFhir, HealthKitOnFHIR, Grove and the vital signs of US Core.
    static let furtherCodings: StaticString = """
        HKQuantityTypeIdentifierHeartRate | snomed 364075005 Heart rate
        HKQuantityTypeIdentifierRespiratoryRate | snomed 86290005 Respiratory rate
        HKQuantityTypeIdentifierOxygenSaturation | snomed 431314004 Peripheral oxygen saturation
        HKQuantityTypeIdentifierBodyTemperature | snomed 386725007 Body temperature
        HKQuantityTypeIdentifierBloodPressureSystolic | snomed 271649006 Systolic blood pressure
        HKQuantityTypeIdentifierBloodPressureDiastolic | snomed 271650006 Diastolic blood pressure
        HKCorrelationTypeIdentifierBloodPressure | loinc 55284-4 Blood pressure systolic and diastolic; loinc 35094-2 Blood pressure panel; snomed 75367002 Blood pressure
        HKQuantityTypeIdentifierBodyMass | loinc 3141-9 Body weight Measured; snomed 27113001 Body weight
        HKQuantityTypeIdentifierHeight | loinc 3137-7 Body height Measured; snomed 50373000 Body height measure
        HKQuantityTypeIdentifierBodyMassIndex | snomed 60621009 Body mass index
        HKQuantityTypeIdentifierBloodGlucose | loinc 14743-9 Glucose [Moles/volume] in Capillary blood by Glucometer
        HKQuantityTypeIdentifierDietaryFiber | loinc LP203183-1 Fiber intake
        HKQuantityTypeIdentifierDietaryCarbohydrates | healthkit HKQuantityTypeIdentifierDietaryCarbohydates Dietary Carbohydrates
        """
}
