# Kernel files are built once per instruction set, each with its own flags; everything else is built for the
# baseline CPU, so one binary runs on any machine and dispatch.cpp picks the best level at run time.
function(summand_add_kernels target)
  target_sources(${target} PRIVATE src/kernels/dispatch.cpp src/kernels/scalar.cpp)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_sources(${target} PRIVATE src/kernels/avx2.cpp src/kernels/avx512.cpp)
    set_source_files_properties(src/kernels/avx2.cpp PROPERTIES COMPILE_OPTIONS "-O3;-mavx2;-mfma;-mf16c;-mbmi;-mbmi2;-mpopcnt")
    set_source_files_properties(src/kernels/avx512.cpp PROPERTIES COMPILE_OPTIONS
      "-O3;-mavx512f;-mavx512bw;-mavx512vl;-mavx512dq;-mavx512vbmi;-mfma;-mbmi;-mbmi2;-mpopcnt;-mprefer-vector-width=512")
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    target_sources(${target} PRIVATE src/kernels/neon.cpp)
    set_source_files_properties(src/kernels/neon.cpp PROPERTIES COMPILE_OPTIONS "-O3")
  endif()
  set_source_files_properties(src/kernels/scalar.cpp PROPERTIES COMPILE_OPTIONS "-O3")
endfunction()
