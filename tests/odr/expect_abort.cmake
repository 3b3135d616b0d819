# Runs PROGRAM, which must plan, find the first slice, refuse the second by name, and abort.
execute_process(
  COMMAND ${PROGRAM}
  RESULT_VARIABLE result
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
if(result EQUAL 0)
  message(FATAL_ERROR "it did not abort:\n${output}")
endif()
if(NOT output MATCHES "^planned\nfound 16 chips\ntpuplan: slice is v5e-24; valid: v5litepod-16 .*v5litepod-32[^\n]*\n$")
  message(FATAL_ERROR "it ended with ${result} and not with the message:\n${output}")
endif()
