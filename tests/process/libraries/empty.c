/* A library with the right name and none of NVML's functions. */
int not_nvml(void);

int not_nvml(void)
{
    return 0;
}
