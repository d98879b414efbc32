#!/usr/bin/env bash
# Holds the table of instructions in src/ptx/host/cubin.cpp against ptxas: compiles kernels of one access each for all
# architectures that the installed nvcc has, and counts the accesses in their machine code.
# usage: check.sh NVCC MACHINE_CODE
set -eu
nvcc=$1 machine_code=$2
ptxas=$(dirname "$nvcc")/ptxas
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# From which architecture on; what the machine code has; the instruction. %g, %e: addresses in global memory and of any
# space; %s, %l: in shared and local memory; R: a result that is stored, which is an STG.
table() {
  local letter space address name strong width values red operation type result value count lane limit bytes
  for name in G:global:%g S:shared:%s L:local:%l :generic:%e; do
    IFS=: read -r letter space address <<<"$name"
    [[ $space == generic ]] && space='' || space=.$space
    [[ $space == .local ]] && strong='' || strong=.volatile
    for width in b8:8 b16:16 b32:32 b64:64 v2.b32:64 v4.b32:128 v2.b64:128; do
      case ${width%:*} in
        b8 | b16) values=%h1 ;; b32) values=%r1 ;; b64) values=%d1 ;;
        v2.b32) values='{%r1,%r2}' ;; v4.b32) values='{%r1,%r2,%r3,%r4}' ;; v2.b64) values='{%d1,%d2}' ;;
      esac
      # Local memory is read only where it was written, and written only where it is read.
      if [[ ! $strong ]]; then
        echo "75 STL.${width#*:}_LDL.${width#*:}_STG.32 st.local.${width%:*} [%l],$values; bar.sync 0; ld.local.${width%:*} $values,[%l+16]; USE"
        continue
      fi
      echo "75 LD$letter.${width#*:} ld$strong$space.${width%:*} $values,[$address];"
      echo "75 ST$letter.${width#*:} st$strong$space.${width%:*} [$address],$values;"
    done
  done
  echo '75 LDG.32_STG.32 ld.global.nc.b32 %r1,[%g]; USE'
  echo '75 LDC.32_STG.32 ld.const.b32 %r1,[%c]; USE'
  for name in G:global:%g S:shared:%s :generic:%e; do
    IFS=: read -r letter space address <<<"$name"
    [[ $space == generic ]] && space='' || space=.$space
    [[ $space == .global ]] && red=RED || red=ATOM$letter
    for operation in add.u32 max.s32 and.b32 exch.b32 inc.u32; do
      echo "75 ATOM${letter}_STG.32 atom$space.$operation %r1,[$address],%r2; USE"
    done
    echo "75 ATOM${letter}_STG.32 atom$space.cas.b32 %r1,[$address],%r2,%r3; USE"
    [[ $space == .shared ]] || echo "75 $red red$space.add.u32 [$address],%r2;"
  done
  echo '75 ATOMS red.shared.add.u32 [%s],%r2;'
  for type in u64:%d1:%d2 f32:%f1:%f2 f64:%k1:%k2; do
    IFS=: read -r type result value <<<"$type"
    echo "75 ATOMG_STG.32 atom.global.add.$type $result,[%g],$value; USE"
    echo "75 RED red.global.add.$type [%g],$value;"
    # No architecture has these: a loop of a load and a compare-and-swap.
    echo "75 LDS.${type#?}_ATOMS red.shared.add.$type [%s],$value;"
  done
  echo '75 RED red.global.add.noftz.f16x2 [%g],%r2;'
  echo '75 LDS.32_ATOMS red.shared.add.noftz.f16x2 [%s],%r2;'
  echo '75 ATOMS_STG.32 atom.shared.cas.b64 %d1,[%s],%d2,%d3; USE'
  echo '75 ATOMG_STG.32 atom.global.cas.b64 %d1,[%g],%d2,%d3; USE'
  for count in 1:%r1 2:%r1,%r2 4:%r1,%r2,%r3,%r4; do
    echo "75 LDSM_STG.32 ldmatrix.sync.aligned.m8n8.x${count%:*}.shared.b16 {${count#*:}},[%s]; USE"
    echo "90 STSM stmatrix.sync.aligned.m8n8.x${count%:*}.shared.b16 [%s],{${count#*:}};"
  done
  for lane in 3 %r3; do for limit in 31 %r4; do
    echo "75 SHFL_STG.32 mov.u32 %r1,%laneid; shfl.sync.idx.b32 %r1,%r1,$lane,$limit,-1; USE"
  done; done
  for bytes in 4:ca 8:ca 16:cg; do
    echo "80 LDGSTS cp.async.${bytes#*:}.shared.global [%s],[%g],${bytes%:*}; cp.async.wait_all;"
  done
  echo '90 RED red.global.add.v2.f32 [%g],{%f1,%f2};'
  echo '90 ATOMG_STG.32 atom.global.v4.f32.add {%f1,%f2,%f3,%f4},[%g],{%f1,%f2,%f3,%f4}; USE'
  echo '90 ATOMG_STG.32 {.reg .b128 t; mov.b128 t,{%d1,%d2}; atom.global.exch.b128 t,[%g],t; mov.b128 {%d1,%d2},t;} USE'
  echo '90 LD.32 ld.volatile.shared::cluster.b32 %r1,[%s];'
  echo '100 LDG.256_STG.32 ld.global.v4.b64 {%d1,%d2,%d3,%d4},[%g]; USE'
  echo '100 STG.256 st.global.v8.b32 [%g],{%r1,%r2,%r3,%r4,%r1,%r2,%r3,%r4};'
}

# kernel NAME INDEX BODY: addresses that depend on INDEX.
kernel() {
  local use=''
  # One of each kind of register reaches the store.
  case $3 in *USE*)
    use='cvt.u32.u16 %r5,%h1; mov.b64 {%r6,%i},%d1; add.u32 %r6,%r6,%i; mov.b32 %r7,%f1; mov.b64 %d5,%k1; cvt.u32.u64 %r8,%d5;
      mov.b64 {%r0,%i},%d2; mad.lo.u32 %r0,%i,3,%r0; add.u32 %r1,%r1,%r0; xor.b32 %r1,%r1,%r2; add.u32 %r1,%r1,%r3; xor.b32 %r1,%r1,%r4;
      add.u32 %r1,%r1,%r5; add.u32 %r1,%r1,%r6; add.u32 %r1,%r1,%r7; add.u32 %r1,%r1,%r8; st.volatile.global.u32 [%g+8192],%r1;' ;;
  esac
  cat <<PTX
.visible .entry $1(.param .u64 p, .param .u64 q, .param .u32 i, .param .u64 v) {
  .local .align 16 .b8 own[1024];
  .reg .b64 %g, %e, %l, %c, %d<9>; .reg .b32 %s, %i, %r<9>; .reg .b16 %h<9>; .reg .f32 %f<9>; .reg .f64 %k<9>;
  ld.param.u64 %g,[p]; cvta.to.global.u64 %g,%g; ld.param.u64 %e,[q]; ld.param.u32 %i,[i]; ld.param.u64 %d1,[v];
  $2
  mov.u64 %d2,%d1; mov.u64 %d3,%d1; mov.u64 %d4,%d1; cvt.u32.u64 %r1,%d1; mov.u32 %r2,%r1; mov.u32 %r3,%r1;
  mov.u32 %r4,%r1; cvt.u16.u32 %h1,%r1; mov.b32 %f1,%r1; mov.f32 %f2,%f1; mov.f32 %f3,%f1; mov.f32 %f4,%f1;
  mov.b64 %k1,%d1; mov.f64 %k2,%k1; mov.u32 %s,words; mad.lo.u32 %s,%i,16,%s; mad.wide.u32 %g,%i,32,%g;
  mad.wide.u32 %e,%i,16,%e; mov.u64 %l,own; mad.wide.u32 %l,%i,16,%l; mov.u64 %c,numbers; mad.wide.u32 %c,%i,4,%c;
  ${3/USE/$use}
  ret;
}
PTX
}

checked=0
for architecture in $("$nvcc" --list-gpu-code | sed -n 's/^sm_//p'); do
  : >"$work/wanted"
  {
    version=$([ "$architecture" -ge 90 ] && echo 9.0 || echo 8.0)
    printf '.version %s\n.target sm_%s\n.address_size 64\n' "$version" "$architecture"
    printf '.const .align 16 .b8 numbers[4096];\n.shared .align 128 .b8 words[16384];\n'
    number=0
    while read -r least wanted body; do
      [ "$architecture" -ge "$least" ] || continue
      for index in '' 'mov.u32 %i,%tid.x;'; do
        # Constants at an address that all threads share are operands.
        [[ $index || $wanted != LDC* ]] || continue
        number=$((number + 1))
        echo "k$number $wanted" >>"$work/wanted"
        kernel k$number "$index" "$body"
      done
    done < <(table)
  } >"$work/accesses.ptx"
  "$ptxas" -arch="sm_$architecture" "$work/accesses.ptx" -o "$work/accesses.cubin"
  "$machine_code" --widths "$architecture" "$work/accesses.cubin" >"$work/counted"
  awk -v architecture="$architecture" '
    NR == FNR { counted[$1] = $3; next }
    {
      # The order of the kinds is that of their names.
      count = split($2, wanted, "_")
      for (i = 1; i <= count; ++i) for (j = i + 1; j <= count; ++j) if (wanted[j] < wanted[i]) { t = wanted[i]; wanted[i] = wanted[j]; wanted[j] = t }
      text = ""
      for (i = 1; i <= count; ++i) text = text (i > 1 ? "," : "") wanted[i] "=1"
      # Parameters are constants, too; atomics that all lanes share add up in the warp first.
      is = "," counted[$1]
      if (text ~ /LDC/ && is ~ /,LDC.32=/) sub(/LDC.32=1,/, "", text)
      if (text !~ /LDC/) gsub(/,LDC[^,]*/, "", is)
      # From sm_90 on, a kernel with asynchronous copies has three loads of shared memory beside them.
      if (text ~ /LDGSTS/) sub(/,LDS.32=3/, "", is)
      if (text !~ /SHFL/) gsub(/,SHFL[^,]*/, "", is)
      if (substr(is, 2) == text) next
      print "sm_" architecture " " $1 ": " counted[$1] " instead of " text
      failed = 1
    }
    END { exit failed }' "$work/counted" "$work/wanted"
  checked=$((checked + $(wc -l <"$work/wanted")))
done
echo "machine code: ok, $checked kernels"
